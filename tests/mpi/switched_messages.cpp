// Messages on both sides of pauses in recording, next to what the program that sends them knows of each.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/file.hpp"
#include "messages/match/find_messages.hpp"
#include "messages/scan/scan.hpp"
#include "model/mpi_details.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

using testing::Each;

class MatchedMessagesOfPauses : public TracedTest {
 protected:
    static constexpr uint64_t message_bytes = 32;

    // The call that posts one end of a message. What recorded says is in tests/apps/switched_messages.cpp.
    struct Posting {
        int64_t number = 0, thread = 0, begin = 0, end = 0;
        int recorded = 0;
    };
    struct Book {
        std::vector<Posting> sends, receives;
    };

    MatchedMessagesOfPauses() {
        prepare_for_mpirun();
        std::filesystem::current_path(path(""));
    }
    ~MatchedMessagesOfPauses() override { std::filesystem::current_path(before_); }

    void run_switched(int ranks, const Words& arguments, const Words& options = {}) {
        std::filesystem::remove_all(trace_directory());
        books_.clear();
        Finished done = traced(ranks, Words{app("switched_messages")} + arguments, options);
        ASSERT_EQ(done.status, 0) << done.err;
        for (int rank = 0; rank < ranks; ++rank) books_.push_back(read_book(rank));
    }
    Book read_book(int rank) const {
        Book book;
        std::ifstream lines(path("known." + std::to_string(rank)));
        char kind = 0;
        for (Posting call;
             lines >> kind >> call.number >> call.thread >> call.begin >> call.end >> call.recorded;)
            (kind == 'S' ? book.sends : book.receives).push_back(call);
        return book;
    }

    OpenStream opener(const Trace& trace) const {
        return [&](uint32_t s) { return trace.reader(s, 0, ClockOrder::checked); };
    }
    FoundMessages find(const Trace& trace) const {
        const System system(trace);
        const ScannedPart part = ScannedPart::all_processes(system, 2);
        Scanned scanned = scan(trace, system, part, {.messages = true}, opener(trace));
        return find_messages(Ranks(), trace, system, StreamOwners(Ranks(), system, part.processes), scanned);
    }
    // The number of the message that the thread sent or received by the call which began then; 0: none.
    int64_t number_of(const Trace& trace, uint32_t stream, int64_t posted,
                      std::vector<Posting> Book::*side) const {
        const StreamMetadata& about = trace.streams()[stream].metadata;
        for (const Posting& call : books_[static_cast<size_t>(*about.process->rank)].*side)
            if (call.thread == about.tid && call.begin <= posted && posted <= call.end) return call.number;
        return 0;
    }
    // Calls that post several ends say nothing of their order.
    bool is_same_call(int64_t number, int64_t other, std::vector<Posting> Book::*side) const {
        const Posting *one = nullptr, *two = nullptr;
        for (const Book& book : books_)
            for (const Posting& call : book.*side) {
                if (call.number == number) one = &call;
                if (call.number == other) two = &call;
            }
        return one && two && one->begin == two->begin && one->thread == two->thread;
    }

    std::set<int64_t> recorded_on_both_sides() const {
        std::set<int64_t> sent, both;
        for (const Book& book : books_)
            for (const Posting& call : book.sends)
                if (call.recorded == 1) sent.insert(call.number);
        for (const Book& book : books_)
            for (const Posting& call : book.receives)
                if (call.recorded == 1 && sent.contains(call.number)) both.insert(call.number);
        return both;
    }
    uint64_t recorded(std::vector<Posting> Book::*side) const {
        uint64_t count = 0;
        for (const Book& book : books_)
            count += static_cast<uint64_t>(std::ranges::count(book.*side, 1, &Posting::recorded));
        return count;
    }

    // The matched messages by the number that the sender knows; each is one that the receiver got.
    std::set<int64_t> expect_pairs_are_right(const Trace& trace, const FoundMessages& found) const {
        std::set<int64_t> matched;
        for (const Message& message : found.messages.all()) {
            if (message.bytes != message_bytes) continue;
            const int64_t sent = number_of(trace, message.send_stream, message.send_posted, &Book::sends);
            const int64_t received =
                number_of(trace, message.receive_stream, message.receive_posted, &Book::receives);
            EXPECT_TRUE(sent == received || is_same_call(sent, received, &Book::receives))
                << sent << " is " << received << ", tag " << message.tag << " at " << message.send_posted;
            EXPECT_TRUE(matched.insert(sent).second) << sent << " twice";
        }
        return matched;
    }
    // The ends of one side that the streams show from begin to end, by the numbers of their messages.
    std::set<int64_t> shown(const Trace& trace, KeyOfProcess::Side side) const {
        const System system(trace);
        const Scanned all =
            scan(trace, system, ScannedPart::all_processes(system, 2), {.messages = true}, opener(trace));
        std::set<int64_t> numbers;
        const auto book = side == KeyOfProcess::Side::sends ? &Book::sends : &Book::receives;
        for (const MessageEnds& of_group : all.ends)
            for (size_t key = 0; key < of_group.keys.size(); ++key) {
                if (of_group.keys[key].side != side) continue;
                EndsReader reader(of_group.ends[key]);
                for (MessageEnd end; reader.next(end);)
                    if (end.unrecorded == 0 && end.bytes == message_bytes)
                        numbers.insert(number_of(trace, end.stream, end.posted, book));
            }
        return numbers;
    }
    // Whatever has switched recording, and when.
    // Returns how many there are.
    size_t expect_all_shown_are_matched() const {
        const Trace trace = this->trace();
        const FoundMessages found = find(trace);
        const auto sends = shown(trace, KeyOfProcess::Side::sends),
                   receives = shown(trace, KeyOfProcess::Side::receives);
        std::set<int64_t> both;
        std::ranges::set_intersection(sends, receives, std::inserter(both, both.begin()));
        EXPECT_EQ(expect_pairs_are_right(trace, found), both);
        expect_only(found.summary, Unmatched::off);
        return both.size();
    }
    static void expect_only(const MessageSummary& summary, Unmatched cause) {
        for (MessageSummary::ByCause counts : {summary.sends, summary.receives}) {
            counts[static_cast<size_t>(cause)] = 0;
            EXPECT_THAT(counts, Each(0u));
        }
        EXPECT_EQ(summary.realigned, 0u);
        EXPECT_EQ(summary.unordered, 0u);
        EXPECT_EQ(summary.unknown_communicator, 0u);
    }
    void expect_all_recorded_are_matched() const {
        const Trace trace = this->trace();
        const FoundMessages found = find(trace);
        const MessageSummary& summary = found.summary;
        const std::set<int64_t> both = recorded_on_both_sides();
        EXPECT_EQ(expect_pairs_are_right(trace, found), both);
        constexpr auto off = static_cast<size_t>(Unmatched::off);
        EXPECT_EQ(summary.sends[off], recorded(&Book::sends) - both.size());
        EXPECT_EQ(summary.receives[off], recorded(&Book::receives) - both.size());
        expect_only(summary, Unmatched::off);
    }

    // A process that tells of several receives under way does so in the order of their requests. Returns how
    // many are told behind another.
    static size_t expect_receives_under_way_in_order(const Trace& trace) {
        size_t count = 0;
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            std::map<int64_t, uint32_t> last;
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
                const EventView& event = reader.event();
                if (event.kind != EventView::Kind::event || event.code != OVNI_MPI_UNDER_WAY) continue;
                const auto receive = mpi_under_way(event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
                const uint32_t before = std::exchange(last[event.clock], receive.value().request);
                EXPECT_LT(before, receive->request) << "at " << event.clock;
                count += before != 0;
            }
        }
        return count;
    }

    // OVNI_TEST_SEEDS: more runs.
    static int seeds() {
        const char* wanted = std::getenv("OVNI_TEST_SEEDS");
        return wanted ? std::stoi(wanted) : 10;
    }

    std::vector<Book> books_;

 private:
    const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(MatchedMessagesOfPauses, MessagesThatBothSidesRecordedAreMatched) {
    size_t told_behind_others = 0;
    for (int seed = 1; seed <= seeds(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        run_switched(3, {std::to_string(seed), "24"});
        expect_all_recorded_are_matched();
        told_behind_others += expect_receives_under_way_in_order(trace());
    }
    EXPECT_GT(told_behind_others, 0u);
    expect_emulates();
}

TEST_F(MatchedMessagesOfPauses, MessagesOfThreadsThatStopAmidTheirCallsAreMatched) {
    for (int seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        run_switched(3, {std::to_string(seed), "40", "threads"});
        EXPECT_GT(expect_all_shown_are_matched(), 0u);
    }
}

// One thread is recorded while another is not.
TEST_F(MatchedMessagesOfPauses, MessagesOfThreadsThatStopAloneAreMatched) {
    run_switched(
        3, {"1", "40", "threads"},
        {"--control", "start:mpi:Irecv:count20,stop:mpi:Wait:count17,repeat", "--control-scope", "thread"});
    EXPECT_GT(expect_all_shown_are_matched(), 0u);
}

// Recording starts and stops in calls that post and complete, and may be off at the end.
TEST_F(MatchedMessagesOfPauses, MessagesThatChainsRecordAreMatched) {
    for (const char* chain :
         {"start:mpi:Barrier:count3", "start:mpi:Init_thread,stop:mpi:Isend:count20",
          "start:mpi:Irecv:count4,stop:mpi:Wait:count3,repeat", "start:mpi:Wait:count2,stop:mpi:Recv,repeat",
          "start:mpi:Start:count2,stop:mpi:Waitall,repeat", "start:mpi:Waitany,stop:mpi:Improbe,repeat"}) {
        SCOPED_TRACE(chain);
        run_switched(3, {"5", "60", "chains"}, {"--control", chain});
        EXPECT_GT(expect_all_shown_are_matched(), 10u);
    }
}

TEST_F(MatchedMessagesOfPauses, AnyNumberOfRanksFindsTheSameMatches) {
    run_switched(3, {"4", "24"}, {"--loom", "rank"});
    ASSERT_EQ(run({program("ovniemu"), "--report", path("report.json"), trace_directory()}).status, 0);
    const std::string alone = read_file(trace_directory() + "/thread.prv");
    const auto report = nlohmann::json::parse(read_file(path("report.json")))["messages"];
    EXPECT_GT(report["matched"], 0);
    EXPECT_GT(report["unmatched_sends"]["recording was off there"], 0) << report;
    for (const Workers& workers : every_sharing) {
        const std::string out = path(workers.name());
        Finished done = emulated(workers, {"--report", path("again.json"), "-o", out});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_TRUE(alone == read_file(out + "/thread.prv"));
        EXPECT_EQ(nlohmann::json::parse(read_file(path("again.json")))["messages"], report);
    }
}

// Nothing is known behind a pause with more keys than a process counts.
TEST_F(MatchedMessagesOfPauses, EndWhereThereIsNoAccount) {
    run_switched(1, {"1", "1", "tags"});
    const Trace trace = this->trace();
    const FoundMessages found = find(trace);
    EXPECT_EQ(expect_pairs_are_right(trace, found).size(), 3u);
    EXPECT_EQ(found.summary.sends[static_cast<size_t>(Unmatched::gap)], 3u);
    EXPECT_EQ(found.summary.receives[static_cast<size_t>(Unmatched::gap)], 3u);
}

TEST_F(MatchedMessagesOfPauses, TracesForTheReferenceSayNothingOfPauses) {
    run_switched(2, {"2", "12"}, {"--mpi-events", "reference"});
    for (const Stream& stream : streams()) EXPECT_EQ(stream.metadata.common->require.at("mpi"), "1.0.0");
    const Finished dump = run({program("ovnidump"), trace_directory()});
    EXPECT_EQ(dump.out.find(" MX"), std::string::npos);
    run_switched(2, {"2", "12"});
    EXPECT_THAT(run({program("ovnidump"), trace_directory()}).out,
                testing::ContainsRegex("MXk .*not recorded: sends=[0-9]+ receives=[0-9]+ peer=[01] tag="));
}

}  // namespace ovni::test
