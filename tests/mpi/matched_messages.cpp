// Messages that are matched, beside what the program that sends them knows of each.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "messages/match/find_messages.hpp"
#include "messages/scan/scan.hpp"
#include "messages/waits/visit_collectives.hpp"
#include "tests/mpi/account.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;

class MatchedMessages : public TracedTest {
 protected:
    static constexpr uint64_t message_bytes = 32;
    static constexpr int first_tag_of_threads = 20;

    struct Span {
        int64_t begin, end;
    };
    struct Book {
        std::map<int64_t, Span> sends, receives;  // by number
    };

    MatchedMessages() {
        prepare_for_mpirun();
        std::filesystem::current_path(path(""));
    }
    ~MatchedMessages() override { std::filesystem::current_path(before_); }
    void run_known(int ranks, int seed = 0, const Words& options = {}) {
        Finished done = traced(ranks, {app("known_messages"), std::to_string(seed)}, options);
        ASSERT_EQ(done.status, 0) << done.err;
        for (int rank = 0; rank < ranks; ++rank) books_.push_back(read_book(rank));
    }
    Book read_book(int rank) const {
        Book book;
        std::ifstream lines(path("known." + std::to_string(rank)));
        char kind = 0;
        int64_t number = 0;
        for (Span span{}; lines >> kind >> number >> span.begin >> span.end;)
            (kind == 'S' ? book.sends : book.receives)[number] = span;
        return book;
    }
    FoundMessages find() const {
        const Trace trace = this->trace();
        const System system(trace);
        const ScannedPart part = ScannedPart::all_processes(system, 2);
        Scanned scanned = scan(trace, system, part, {.messages = true},
                               [&](uint32_t s) { return trace.reader(s, 0, ClockOrder::checked); });
        return find_messages(Ranks(), trace, system, StreamOwners(Ranks(), system, part.processes), scanned);
    }
    static int64_t begin_of(const Trace& trace) {
        int64_t begin = INT64_MAX;
        for (uint32_t s = 0; s < trace.streams().size(); ++s)
            if (auto clock = trace.reader(s, 0, ClockOrder::checked).first_clock())
                begin = std::min(begin, *clock);
        return begin;
    }
    int rank_of(const Trace& trace, uint32_t stream) const {
        return *trace.streams()[stream].metadata.process->rank;
    }

    // The numbers of what may have been posted at that time. Clocks of a busy machine are read a little
    // apart.
    static std::set<int64_t> posted_at(const std::map<int64_t, Span>& spans, int64_t posted, int64_t done) {
        constexpr int64_t apart = 20'000;
        std::set<int64_t> found;
        for (const auto& [number, span] : spans)
            if (span.begin - apart <= posted && done <= span.end + apart) found.insert(number);
        return found;
    }
    const Book& book_of(const Trace& trace, uint32_t stream) const {
        return books_[static_cast<size_t>(rank_of(trace, stream))];
    }

    // Every message is one that the program knows. Returns how many there are.
    size_t expect_pairs_are_possible(const FoundMessages& found) const {
        const Trace trace = this->trace();
        size_t count = 0;
        for (const Message& message : found.messages.all()) {
            if (message.bytes != message_bytes) continue;
            ++count;
            std::set<int64_t> common;
            const std::set<int64_t> received = posted_at(book_of(trace, message.receive_stream).receives,
                                                         message.receive_posted, message.receive_wait_end);
            for (int64_t number :
                 posted_at(book_of(trace, message.send_stream).sends, message.send_posted, message.send_left))
                if (received.contains(number)) common.insert(number);
            EXPECT_FALSE(common.empty()) << "tag " << message.tag << " sent at " << message.send_posted;
        }
        return count;
    }

    // Numbers in the order of their calls.
    static std::vector<int64_t> in_order(const std::map<int64_t, Span>& spans) {
        std::vector<std::pair<int64_t, int64_t>> order;
        for (const auto& [number, span] : spans) order.emplace_back(span.begin, number);
        std::ranges::sort(order);
        std::vector<int64_t> numbers;
        for (const auto& [begin, number] : order) numbers.push_back(number);
        return numbers;
    }
    // The k-th send of a rank is the k-th that the program knows, and so are receives: all that one thread
    // does.
    void expect_pairs_are_right(const FoundMessages& found) const {
        const Trace trace = this->trace();
        std::map<int, std::vector<const Message*>> sent, received;
        const std::vector<Message> all = found.messages.all();
        for (const Message& message : all) {
            if (message.bytes != message_bytes || message.tag >= first_tag_of_threads) continue;
            sent[rank_of(trace, message.send_stream)].push_back(&message);
            received[rank_of(trace, message.receive_stream)].push_back(&message);
        }
        std::map<const Message*, int64_t> number_of;
        for (auto& [rank, messages] : sent) {
            std::ranges::stable_sort(messages, {}, &Message::send_posted);
            const std::vector<int64_t> numbers = in_order(books_[static_cast<size_t>(rank)].sends);
            ASSERT_LE(messages.size(), numbers.size());
            for (size_t k = 0; k < messages.size(); ++k) number_of[messages[k]] = numbers[k];
        }
        for (auto& [rank, messages] : received) {
            std::ranges::sort(messages, {},
                              [](const Message* m) { return std::pair(m->receive_posted, m->send_posted); });
            const std::vector<int64_t> numbers = in_order(books_[static_cast<size_t>(rank)].receives);
            ASSERT_LE(messages.size(), numbers.size());
            for (size_t k = 0; k < messages.size(); ++k)
                EXPECT_EQ(number_of[messages[k]], numbers[k])
                    << "tag " << messages[k]->tag << " of rank " << rank;
        }
    }
    size_t known() const {
        size_t count = 0;
        for (const Book& book : books_) count += book.sends.size();
        return count;
    }
    static uint64_t sum(const MessageSummary::ByCause& counts) {
        return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    }

    std::vector<Book> books_;

 private:
    const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(MatchedMessages, MatchesAreThoseThatTheProgramKnows) {
    run_known(4);
    const FoundMessages found = find();
    EXPECT_EQ(expect_pairs_are_possible(found), known());
    expect_pairs_are_right(found);
    EXPECT_EQ(sum(found.summary.sends), 0u);
    EXPECT_EQ(sum(found.summary.receives), 0u);
    EXPECT_EQ(found.summary.realigned, 0u);
    EXPECT_EQ(found.summary.backward, 0u);
    EXPECT_EQ(found.summary.unknown_communicator, 0u);
}

TEST_F(MatchedMessages, NoMatchIsWrongWhereRecordingStops) {
    for (int seed = 1; seed <= 3; ++seed) {
        std::filesystem::remove_all(trace_directory());
        books_.clear();
        run_known(4, seed);
        const FoundMessages found = find();
        expect_pairs_are_possible(found);
        EXPECT_GT(found.summary.matched, 0u);
        const auto off = static_cast<size_t>(Unmatched::off);
        EXPECT_EQ(sum(found.summary.sends), found.summary.sends[off]);
        EXPECT_EQ(sum(found.summary.receives), found.summary.receives[off]);
    }
}

TEST_F(MatchedMessages, AnyNumberOfRanksWritesTheSameLines) {
    run_known(4, 0, {"--loom", "rank"});
    ASSERT_EQ(run({program("ovniemu"), "--report", path("report.json"), trace_directory()}).status, 0);
    const std::string alone = read_file(trace_directory() + "/thread.prv");
    const Json report = Json::parse(read_file(path("report.json")));
    const uint64_t matched = report["messages"]["matched"];
    EXPECT_GE(matched, known());
    size_t lines = 0;
    std::istringstream text(alone);
    for (std::string line; std::getline(text, line);) lines += line.starts_with("3:0:1:1:");
    EXPECT_EQ(lines, matched);
    for (const Workers& workers : every_sharing) {
        const std::string out = path(workers.name());
        Finished done = emulated(workers, {"--report", path("again.json"), "-o", out});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_TRUE(alone == read_file(out + "/thread.prv"));
        EXPECT_EQ(Json::parse(read_file(path("again.json")))["messages"], report["messages"]);
    }
}

TEST_F(MatchedMessages, AnyNumberOfRanksWritesTheSameColumns) {
    if (run({"/usr/bin/python3", "-c", "import h5py, numpy"}).status != 0) GTEST_SKIP() << "there is no h5py";
    run_known(4, 0, {"--loom", "rank", "--callsites", "0"});
    Finished alone = run({program("ovniemu"), "--hdf5", path("alone.h5"), trace_directory()});
    if (alone.err.find("no HDF5") != std::string::npos) GTEST_SKIP() << alone.err;
    ASSERT_EQ(alone.status, 0) << alone.err;
    const std::string script = SOURCE_DIR "/tests/mpi/columns_as_prv.py";
    for (const Workers& workers : every_sharing) {
        const std::string out = path(workers.name()), file = out + ".h5";
        Finished done = emulated(workers, {"--hdf5", file, "-o", out});
        ASSERT_EQ(done.status, 0) << done.err;
        Finished same = run({"/usr/bin/python3", script, file, out, path("alone.h5")});
        EXPECT_EQ(same.status, 0) << same.err;
    }
}

// The known messages are blocking sends and posted ones, of several threads, on several communicators.
TEST_F(MatchedMessages, EventsNameTheirPartners) {
    run_known(2);
    Finished dump = run({program("ovnidump"), "--partners", trace_directory()});
    ASSERT_EQ(dump.status, 0) << dump.err;
    const size_t matched = find().messages.size();
    auto count = [&](const std::string& arrow) {
        size_t found = 0;
        for (size_t at = 0; (at = dump.out.find(arrow, at)) != std::string::npos; ++at) ++found;
        return found;
    };
    EXPECT_EQ(count(" -> rank "), matched);
    EXPECT_EQ(count(" <- rank "), matched);
}

TEST_F(MatchedMessages, NeedNoOtherFunctions) {
    run_known(2, 0, {"--mpi-functions", "p2p,completion,persistent"});
    const FoundMessages found = find();
    EXPECT_GT(expect_pairs_are_possible(found), 0u);
    EXPECT_EQ(found.summary.sends[static_cast<size_t>(Unmatched::gap)], 0u);
}

// The first receive of a part may belong to a send that lies before it.
TEST_F(MatchedMessages, NoMatchIsGuessedInAPart) {
    run_known(2);
    const FoundMessages whole = find();
    const Message message = whole.messages.all()[whole.messages.size() / 2];
    ASSERT_EQ(run({program("ovnicut"), trace_directory(), "-o", path("part"), "--from",
                   std::to_string(message.send_posted - begin_of(trace())) + "ns"})
                  .status,
              0);
    const Finished part = run({program("ovnitop"), "--messages", path("part")});
    EXPECT_THAT(part.out, HasSubstr("0 messages with 0 bytes\n"));
    EXPECT_THAT(part.out, HasSubstr("sends without a receive: gap in the recording"));
}

// The three programs make the same calls.
TEST_F(MatchedMessages, EveryFortranBindingHasTheSameMatches) {
#ifdef OVNI_TEST_FORTRAN
    std::set<uint64_t> counts;
    for (const char* binding : {"calls_mpifh", "calls_module", "calls_f08"}) {
        Finished done = traced(2, {app(binding), path("")});
        ASSERT_EQ(done.status, 0) << done.err;
        const MessageSummary summary = find().summary;
        EXPECT_THAT(summary.sends, Each(0u)) << binding;
        EXPECT_THAT(summary.receives, Each(0u)) << binding;
        counts.insert(summary.matched);
        std::filesystem::remove_all(trace_directory());
    }
    EXPECT_EQ(counts.size(), 1u);
    EXPECT_GT(*counts.begin(), 100u);
#else
    GTEST_SKIP() << "this MPI has no bindings for Fortran";
#endif
}

// Sends with large counts meet receives with usual ones, and others.
TEST_F(MatchedMessages, MessagesOfMpi4AreThoseThatTheProgramCounts) {
    constexpr int nothing_here = 77, ranks = 3;
    const Finished done = traced(ranks, {app("calls_mpi_4"), path("")});
    if (done.status == nothing_here) GTEST_SKIP() << "this MPI has no functions of MPI 4";
    ASSERT_EQ(done.status, 0) << done.err;
    uint64_t sent = 0;
    for (const auto& [pair, amount] : account_of(path("traffic."), ranks).sent)
        sent += static_cast<uint64_t>(amount.second);
    const MessageSummary summary = find().summary;
    EXPECT_THAT(summary.sends, Each(0u));
    EXPECT_THAT(summary.receives, Each(0u));
    EXPECT_EQ(summary.matched, sent);
    EXPECT_GT(sent, 50u);
}

// Each start of a persistent collective is put together with those of the other members, in any order.
TEST_F(MatchedMessages, EachStartOfAPersistentCollectiveIsMatched) {
    constexpr int nothing_here = 77;
    constexpr size_t ranks = 3;
    const Finished done = traced(ranks, {app("calls_mpi_4"), path("")});
    if (done.status == nothing_here) GTEST_SKIP() << "this MPI has no functions of MPI 4";
    ASSERT_EQ(done.status, 0) << done.err;
    const Trace trace = this->trace();
    const System system(trace);
    const Scanned all = scan(trace, system, ScannedPart::all_processes(system, 2), {.messages = true},
                             [&](uint32_t s) { return trace.reader(s, 0, ClockOrder::checked); });
    std::map<decltype(collective_of(CollectiveEnd())), std::vector<CollectiveEnd>> groups;
    std::map<uint32_t, size_t> starts;  // by stream
    for (const MessageEnds& of_group : all.ends)
        for (const CollectiveEnd& end : of_group.collectives) {
            groups[collective_of(end)].push_back(end);
            if (end.made == 0) continue;
            ++starts[end.stream];
            EXPECT_THAT(std::string(mpi_function_rows[end.function].name), HasSubstr("_init"));
        }
    for (const auto& [collective, members] : groups) {
        EXPECT_EQ(members.size(), members[0].size);
        for (const CollectiveEnd& end : members) {
            EXPECT_EQ(end.function, members[0].function);
            EXPECT_TRUE(end.completed_in != MessageEnd::no_stream || end.made == 0);
        }
    }
    // Two of 43 that are started three times are started once, and two more three times.
    constexpr size_t expected = 41 * 3 + 2 + 2 * 3;
    EXPECT_THAT(starts, testing::SizeIs(ranks));
    for (const auto& [stream, count] : starts) EXPECT_EQ(count, expected);
}

TEST_F(MatchedMessages, MayBeLeftOut) {
    run_known(2);
    ASSERT_EQ(run({program("ovniemu"), "--no-messages", trace_directory()}).status, 0);
    EXPECT_THAT(read_file(trace_directory() + "/thread.prv"), testing::Not(HasSubstr("\n3:0:1:1:")));
}

TEST_F(MatchedMessages, OvnitopPrintsMessagesAndTheirMatrix) {
    run_known(2);
    Finished messages = run({program("ovnitop"), "--messages", trace_directory()});
    EXPECT_EQ(messages.status, 0) << messages.err;
    EXPECT_THAT(messages.out, ContainsRegex("[0-9]+ messages with [0-9]+ bytes\n"));
    EXPECT_THAT(messages.out, HasSubstr("32 to 63"));
    EXPECT_THAT(messages.out, testing::Not(HasSubstr("without a")));
    Finished matrix = run({program("ovnitop"), "--matrix", trace_directory()});
    EXPECT_EQ(matrix.status, 0) << matrix.err;
    EXPECT_THAT(matrix.out, HasSubstr("bytes, by rank\n from\\to        0        1\n"));
    EXPECT_EQ(run({program("ovnitop"), "--matrix", "--messages", trace_directory()}).status, 2);
}

// A receive from one rank keeps its place, one that was cancelled has none. One from anybody may have taken
// the messages of the next one, which is not guessed.
TEST_F(MatchedMessages, FreedReceivesAreTheCauseOfUnmatchedSends) {
    const Finished done = traced(2, {app("freed_receives")});
    ASSERT_EQ(done.status, 0) << done.err;
    const MessageSummary found = find().summary;
    const auto of = [](const MessageSummary::ByCause& counts, Unmatched cause) {
        return counts[static_cast<size_t>(cause)];
    };
    EXPECT_EQ(found.matched, 3u);
    EXPECT_EQ(of(found.sends, Unmatched::freed), 5u);
    EXPECT_EQ(of(found.sends, Unmatched::off), 1u);
    EXPECT_EQ(of(found.sends, Unmatched::no_partner), 1u);
    EXPECT_EQ(sum(found.sends), 7u);
    EXPECT_EQ(of(found.receives, Unmatched::freed), 1u);
    EXPECT_EQ(sum(found.receives), 1u);
    EXPECT_THAT(run({program("ovnitop"), "--messages", trace_directory()}).out,
                HasSubstr("sends without a receive: recording was off there 1, a receive was freed 5, never "
                          "received or sent 1\n"));
}

TEST_F(MatchedMessages, SayWhichOtherProcessIsNotRecorded) {
    Finished done = run({launcher(), "-n", "1", program("ovnirun"), "-o", trace_directory(),
                         app("known_messages"), ":", "-n", "1", app("known_messages")});
    ASSERT_EQ(done.status, 0) << done.err;
    const FoundMessages found = find();
    const auto cause = static_cast<size_t>(Unmatched::not_recorded);
    EXPECT_GT(found.summary.sends[cause], 0u);
    EXPECT_EQ(sum(found.summary.sends), found.summary.sends[cause]);
    EXPECT_EQ(sum(found.summary.receives), found.summary.receives[cause]);
}

}  // namespace ovni::test
