// Messages that are matched, beside what the program that sends them knows of each.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "messages/find_messages.hpp"
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
        return find_messages(Ranks(), trace, system, std::vector<bool>(system.looms().size(), true),
                             [&](uint32_t s) { return trace.reader(s, 0, ClockOrder::checked); });
    }
    int rank_of(const Trace& trace, uint32_t stream) const { return *trace.streams()[stream].metadata.rank; }

    // The numbers of what was posted at that time: those of the latest beginning in one thread.
    static std::set<int64_t> posted_at(const std::map<int64_t, Span>& spans, int64_t posted, int64_t done,
                                       bool by_one_thread) {
        int64_t latest = std::numeric_limits<int64_t>::min();
        std::set<int64_t> found;
        for (const auto& [number, span] : spans) {
            if (span.begin > posted || span.end < done) continue;
            if (by_one_thread && span.begin > latest) found.clear();
            if (by_one_thread && span.begin < latest) continue;
            latest = span.begin;
            found.insert(number);
        }
        return found;
    }

    // Every message is one that the program knows. Returns how many there are.
    size_t expect_pairs_are_right(const FoundMessages& found) const {
        const Trace trace = this->trace();
        std::set<int64_t> met;
        for (const Message& message : found.messages) {
            if (message.bytes != message_bytes) continue;
            const Book& sender = books_[static_cast<size_t>(rank_of(trace, message.send_stream))];
            const Book& receiver = books_[static_cast<size_t>(rank_of(trace, message.receive_stream))];
            const bool one_thread = message.tag < first_tag_of_threads;
            std::set<int64_t> common;
            for (int64_t number : posted_at(sender.sends, message.send_posted, message.send_left, one_thread))
                if (posted_at(receiver.receives, message.receive_posted, message.receive_wait_end, one_thread)
                        .contains(number))
                    common.insert(number);
            EXPECT_GE(common.size(), 1u) << "tag " << message.tag << " sent at " << message.send_posted;
            if (one_thread) {
                EXPECT_TRUE(common.size() == 1 && met.insert(*common.begin()).second);
            }
        }
        return static_cast<size_t>(std::ranges::count(found.messages, message_bytes, &Message::bytes));
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
};

TEST_F(MatchedMessages, AreThoseThatTheProgramKnows) {
    run_known(4);
    const FoundMessages found = find();
    EXPECT_EQ(expect_pairs_are_right(found), known());
    EXPECT_EQ(sum(found.summary.sends), 0u);
    EXPECT_EQ(sum(found.summary.receives), 0u);
    EXPECT_EQ(found.summary.realigned, 0u);
    EXPECT_EQ(found.summary.backward, 0u);
    EXPECT_EQ(found.summary.unknown_communicator, 0u);
}

TEST_F(MatchedMessages, AreNeverWrongWhereRecordingStops) {
    for (int seed = 1; seed <= 3; ++seed) {
        std::filesystem::remove_all(trace_directory());
        books_.clear();
        run_known(4, seed);
        const FoundMessages found = find();
        expect_pairs_are_right(found);
        EXPECT_GT(found.summary.matched, 0u);
        const auto gap = static_cast<size_t>(Unmatched::gap);
        EXPECT_EQ(sum(found.summary.sends), found.summary.sends[gap]);
        EXPECT_EQ(sum(found.summary.receives), found.summary.receives[gap]);
    }
}

TEST_F(MatchedMessages, AreLinesOfTheTimelineAlikeForAnyNumberOfRanks) {
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
    for (int ranks = 1; ranks <= 3; ++ranks) {
        Finished done = mpirun(ranks, {program("ovniemu-mpi"), "--report", path("again.json"), "-o",
                                       path("out" + std::to_string(ranks)), trace_directory()});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_TRUE(alone == read_file(path("out" + std::to_string(ranks) + "/thread.prv")));
        EXPECT_EQ(Json::parse(read_file(path("again.json")))["messages"], report["messages"]);
    }
}

TEST_F(MatchedMessages, MayBeLeftOut) {
    run_known(2);
    ASSERT_EQ(run({program("ovniemu"), "--no-messages", trace_directory()}).status, 0);
    EXPECT_THAT(read_file(trace_directory() + "/thread.prv"), testing::Not(HasSubstr("\n3:0:1:1:")));
}

TEST_F(MatchedMessages, AreTablesForTheTerminal) {
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

TEST_F(MatchedMessages, SayWhichOtherProcessIsNotRecorded) {
    Finished done = run({"mpirun", "-q", "-n", "1", program("ovnirun"), "-o", trace_directory(),
                         app("known_messages"), ":", "-n", "1", app("known_messages")});
    ASSERT_EQ(done.status, 0) << done.err;
    const FoundMessages found = find();
    const auto cause = static_cast<size_t>(Unmatched::not_recorded);
    EXPECT_GT(found.summary.sends[cause], 0u);
    EXPECT_EQ(sum(found.summary.sends), found.summary.sends[cause]);
    EXPECT_EQ(sum(found.summary.receives), found.summary.receives[cause]);
}

}  // namespace ovni::test
