// CallReader and its consumers, with events that are made by hand; tests/mpi has real ones.
#include "calls/call_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <stdexcept>

#include "calls/mpi_functions.hpp"

namespace ovni::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A line for each thing that it is told.
class Log : public CallConsumer {
 public:
    std::vector<std::string> lines;

    void left(const CallThread& thread, const Return& told) override {
        add("{} left, {} bytes", thread.call.function->name, told.bytes ? fmt::to_string(*told.bytes) : "no");
        if (thread.call.turn != 0) add("turn {}, collective {}", thread.call.turn, thread.call.collective);
        if (told.found) add("found by a probe at {}", told.found->order);
    }
    void ended(const CallThread& thread, const Request& request, uint32_t how) override {
        add("request {} ended {} in {}", request.number, how, name_of(thread.call));
        if (request.sends) add("sends {} to {}", request.bytes, request.peer);
        if (request.made != 0) add("start {} of {}", request.turn, request.made);
    }
    void received(const CallThread& /*thread*/, const Request& request,
                  const ReceivedMessage* message) override {
        if (message)
            add("request {} received {} from {}, tag {}", request.number, *message->bytes, *message->peer,
                *message->tag);
        else
            add("request {} received something", request.number);
    }
    void ended_unrecorded(const Request& request, const MpiUnrecordedEnd& end) override {
        add("request {} ended {} unrecorded", request.number, end.how);
    }
    void abandoned(const CallThread& thread, int64_t /*clock*/, Abandoned /*why*/) override {
        if (thread.call.function) add("{} abandoned", thread.call.function->name);
    }
    void interrupted(const CallThread& /*thread*/, const EventView& /*event*/, bool is_counted) override {
        add("{}", is_counted ? "a pause" : "a gap");
    }
    void surfaced(const CallThread& thread, const Return* told) override {
        if (!told) add("out of {}", mpi_function_rows[thread.outermost].name);
    }

 private:
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        lines.push_back(fmt::format(text, std::forward<Args>(args)...));
    }
    static std::string_view name_of(const Call& call) {
        return call.function ? call.function->name : "no call";
    }
};

class CallReaderTest : public testing::Test {
 protected:
    static constexpr uint32_t world = OVNI_MPI_WORLD;

    static const MpiFunctionRow& row(std::string_view name) {
        for (const MpiFunctionRow& row : mpi_function_rows)
            if (row.name == name) return row;
        throw std::invalid_argument(std::string(name));
    }
    template <class... Values>
    void enter(std::string_view name, Values... values) {
        add(row(name).enter, row(name), values...);
    }
    template <class... Values>
    void leave(std::string_view name, Values... values) {
        add(row(name).leave, row(name), values...);
    }
    template <class... Values>
    void event(const char* code, Values... values) {
        std::vector<uint8_t> payload;
        (append(payload, values), ...);
        take(EventCode::from_bytes(reinterpret_cast<const uint8_t*>(code)), payload);
    }
    template <class... Values>
    void jumbo(const char* code, Values... values) {
        std::vector<uint8_t> data, payload;
        (append(data, values), ...);
        append(payload, static_cast<uint32_t>(data.size()));
        payload.insert(payload.end(), data.begin(), data.end());
        take(EventCode::from_bytes(reinterpret_cast<const uint8_t*>(code)), payload, OVNI_FORMAT_JUMBO);
    }
    void mark(EventView::Kind kind, const Gap* gap = nullptr) {
        EventView view;
        view.kind = kind;
        view.clock = ++clock_;
        view.gap = gap;
        view.stream = stream_;
        reader_.take(view);
    }
    const std::vector<std::string>& lines() const { return log_.lines; }

    Log log_;
    CallReader reader_{{&log_}};
    uint32_t stream_ = 0;

 private:
    template <class Value>
    static void append(std::vector<uint8_t>& payload, Value value) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
        payload.insert(payload.end(), bytes, bytes + sizeof value);
    }
    template <class... Values>
    void add(EventCode code, const MpiFunctionRow& function, Values... values) {
        std::vector<uint8_t> payload;
        if (function.number != 0) append(payload, function.number);
        (append(payload, values), ...);
        take(code, payload);
    }
    void take(EventCode code, const std::vector<uint8_t>& payload, uint8_t flags = 0) {
        std::vector<uint8_t> bytes(OVNI_FORMAT_EVENT_HEADER);
        bytes[0] = flags != 0 || payload.empty() ? flags : static_cast<uint8_t>(payload.size() - 1);
        bytes[1] = static_cast<uint8_t>(code.model());
        bytes[2] = static_cast<uint8_t>(code.category());
        bytes[3] = static_cast<uint8_t>(code.value());
        bytes.insert(bytes.end(), payload.begin(), payload.end());
        EventView view;
        view.bytes = bytes.data();
        view.code = code;
        view.clock = ++clock_;
        view.offset = offset_ += bytes.size();
        view.stream = stream_;
        reader_.take(view);
    }

    int64_t clock_ = 0;
    uint64_t offset_ = 0;
};

constexpr int32_t rank_1 = 1, tag_7 = 7;
constexpr uint64_t bytes_20 = 20;
constexpr uint32_t request_9 = 9;

TEST_F(CallReaderTest, ASendThatFailsWasNotBegun) {
    enter("MPI_Isend", rank_1, tag_7, world, request_9);
    leave("MPI_Isend");
    EXPECT_THAT(lines(), ElementsAre("MPI_Isend left, no bytes"));
    EXPECT_EQ(reader_.requests().size(), 0u);
}

TEST_F(CallReaderTest, ASendHasTheBytesOfItsLeave) {
    enter("MPI_Isend", rank_1, tag_7, world, request_9);
    leave("MPI_Isend", bytes_20, rank_1, tag_7);
    enter("MPI_Wait", request_9);
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_COMPLETED});
    leave("MPI_Wait");
    EXPECT_THAT(lines(), ElementsAre("MPI_Isend left, 20 bytes", "request 9 ended 0 in MPI_Wait",
                                     "sends 20 to 1", "MPI_Wait left, no bytes"));
}

TEST_F(CallReaderTest, AReceiveHasTheMessageThatFollowsItsEnd) {
    enter("MPI_Irecv", int32_t{OVNI_MPI_ANY}, int32_t{OVNI_MPI_ANY}, world, request_9);
    leave("MPI_Irecv");
    enter("MPI_Wait", request_9);
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_COMPLETED});
    EXPECT_EQ(reader_.requests().size(), 1u);
    event(OVNI_MPI_MESSAGE, bytes_20, rank_1, tag_7);
    EXPECT_THAT(lines(), ElementsAre("MPI_Irecv left, no bytes", "request 9 ended 0 in MPI_Wait",
                                     "request 9 received 20 from 1, tag 7"));
    EXPECT_EQ(reader_.requests().size(), 0u);
}

TEST_F(CallReaderTest, AReceiveWhoseMessageIsMissingGotSomething) {
    enter("MPI_Irecv", rank_1, tag_7, world, request_9);
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_COMPLETED});
    leave("MPI_Irecv");
    EXPECT_THAT(lines(), ElementsAre("request 9 ended 0 in MPI_Irecv", "request 9 received something",
                                     "MPI_Irecv left, no bytes"));
}

TEST_F(CallReaderTest, ACancelledReceiveGotNothing) {
    enter("MPI_Irecv", rank_1, tag_7, world, request_9);
    leave("MPI_Irecv");
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_CANCELLED});
    reader_.finish();
    EXPECT_THAT(lines(), ElementsAre("MPI_Irecv left, no bytes", "request 9 ended 1 in no call"));
    EXPECT_EQ(reader_.requests().size(), 0u);
}

TEST_F(CallReaderTest, AFreedSendHasItsBytes) {
    enter("MPI_Isend", rank_1, tag_7, world, request_9);
    leave("MPI_Isend", bytes_20, rank_1, tag_7);
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_FREED});
    EXPECT_THAT(lines(),
                ElementsAre("MPI_Isend left, 20 bytes", "request 9 ended 2 in no call", "sends 20 to 1"));
    EXPECT_EQ(reader_.requests().size(), 0u);
}

TEST_F(CallReaderTest, ARequestMayEndInAPause) {
    enter("MPI_Isend", rank_1, tag_7, world, request_9);
    leave("MPI_Isend", bytes_20, rank_1, tag_7);
    jumbo(OVNI_MPI_UNRECORDED_END, request_9, uint32_t{OVNI_MPI_COMPLETED}, rank_1, tag_7);
    EXPECT_THAT(lines(), ElementsAre("MPI_Isend left, 20 bytes", "request 9 ended 0 unrecorded"));
    EXPECT_EQ(reader_.requests().size(), 0u);
}

TEST_F(CallReaderTest, CollectivesOfAPauseCount) {
    const uint32_t flags = 0, collectives = 4, none = 0;
    jumbo(OVNI_MPI_UNRECORDED, world, flags, uint64_t{world}, int32_t{0}, int32_t{OVNI_MPI_ANY},
          int32_t{OVNI_MPI_ANY}, collectives, none);
    enter("MPI_Barrier", int32_t{OVNI_MPI_ANY}, world, uint64_t{0});
    leave("MPI_Barrier", uint64_t{0});
    EXPECT_THAT(lines(), ElementsAre("MPI_Barrier left, 0 bytes", "turn 5, collective 1"));
}

TEST_F(CallReaderTest, AMatchedReceiveHasTheOrderOfItsProbe) {
    enter("MPI_Mprobe", rank_1, tag_7, world);
    leave("MPI_Mprobe", rank_1, tag_7, request_9);
    EXPECT_EQ(reader_.found().size(), 1u);
    enter("MPI_Mrecv", request_9);
    leave("MPI_Mrecv", std::array<uint8_t, MpiEvent::short_bytes>{20}, rank_1, tag_7);
    EXPECT_THAT(lines(), ElementsAre("MPI_Mprobe left, no bytes", "MPI_Mrecv left, 20 bytes",
                                     "found by a probe at 1"));
    EXPECT_THAT(reader_.found(), IsEmpty());
}

TEST_F(CallReaderTest, APersistentSendIsBegunByEachStart) {
    for (int start = 0; start < 2; ++start) {
        enter("MPI_Start", request_9);
        event(OVNI_MPI_SEND_STARTED, rank_1, tag_7, world, request_9);
        event(OVNI_MPI_BYTES, bytes_20);
        leave("MPI_Start");
        event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_COMPLETED});
    }
    EXPECT_THAT(lines(),
                ElementsAre("MPI_Start left, no bytes", "request 9 ended 0 in no call", "sends 20 to 1",
                            "MPI_Start left, no bytes", "request 9 ended 0 in no call", "sends 20 to 1"));
}

TEST_F(CallReaderTest, APersistentCollectiveCountsItsStarts) {
    const uint32_t start = 2, made = 3;
    enter("MPI_Barrier_init", int32_t{OVNI_MPI_ANY}, world, uint32_t{0}, uint16_t{0});
    leave("MPI_Barrier_init", uint32_t{0}, uint16_t{0}, request_9);
    EXPECT_EQ(reader_.requests().size(), 0u);
    event(OVNI_MPI_STARTED, request_9, start, made);
    EXPECT_EQ(reader_.requests().size(), 1u);
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_COMPLETED});
    EXPECT_THAT(lines(), testing::Contains("start 2 of 3"));
}

TEST_F(CallReaderTest, ACallInsideOfAnotherTakesItsPlace) {
    enter("MPI_Wait", request_9);
    enter("MPI_Test", request_9);
    leave("MPI_Test");
    leave("MPI_Wait");
    EXPECT_THAT(lines(), ElementsAre("MPI_Wait abandoned", "MPI_Test left, no bytes"));
}

TEST_F(CallReaderTest, AGapEndsTheOpenCall) {
    const Gap dropped{0, 0, 0, 5, "full"};
    enter("MPI_Wait", request_9);
    mark(EventView::Kind::gap_begin, &dropped);
    mark(EventView::Kind::gap_end, &dropped);
    leave("MPI_Wait");
    EXPECT_THAT(lines(), ElementsAre("MPI_Wait abandoned", "out of MPI_Wait", "a gap", "a gap"));
    EXPECT_TRUE(reader_.has_gaps());
}

TEST_F(CallReaderTest, APauseIsCountedIfTheStreamsTellOfIt) {
    const Gap pause{0, 0, 0, 0, "paused"};
    mark(EventView::Kind::gap_begin, &pause);
    reader_.expect_account();
    mark(EventView::Kind::gap_begin, &pause);
    EXPECT_THAT(lines(), ElementsAre("a gap", "a pause"));
}

TEST_F(CallReaderTest, ACallIsOpenWhereItsStreamIsCut) {
    enter("MPI_Recv", rank_1, tag_7, world);
    mark(EventView::Kind::cut);
    reader_.finish();
    ASSERT_EQ(reader_.thread_count(), 1u);
    EXPECT_TRUE(reader_.thread(0).is_cut);
    EXPECT_EQ(reader_.thread(0).call.function->name, "MPI_Recv");
}

TEST_F(CallReaderTest, ARequestMayEndInAnotherThread) {
    enter("MPI_Isend", rank_1, tag_7, world, request_9);
    leave("MPI_Isend", bytes_20, rank_1, tag_7);
    stream_ = 1;
    enter("MPI_Wait", request_9);
    event(OVNI_MPI_REQUEST_ENDED, request_9, uint32_t{OVNI_MPI_COMPLETED});
    EXPECT_THAT(lines(), testing::Contains("request 9 ended 0 in MPI_Wait"));
    EXPECT_EQ(reader_.thread_count(), 2u);
}

}  // namespace
}  // namespace ovni::test
