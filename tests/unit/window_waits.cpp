// Waits in the synchronisation of one-sided communication, by hand.
#include "messages/waits/window_waits.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "mpi_function_rows.hpp"

namespace ovni::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WindowWaits : public testing::Test {
 protected:
    // Call in the order of enters.
    void call(uint32_t rank, std::string_view function, int64_t enter, int64_t leave, int32_t target = -1) {
        WindowCall& made = calls_.emplace_back();
        while (mpi_function_rows[made.function].name != function) ++made.function;
        made.enter = enter;
        made.leave = leave;
        made.stream = made.process = rank;
        made.target = target;
    }
    // "stream: kind begin-end for stream"
    std::vector<std::string> waits() const {
        std::vector<std::string> all;
        for (const Wait& wait : waits_at_window(calls_))
            all.push_back(std::to_string(wait.stream) + ": " +
                          std::string(wait_names[static_cast<size_t>(wait.kind)]) + " " +
                          std::to_string(wait.begin) + "-" + std::to_string(wait.end) + " for " +
                          std::to_string(wait.cause_stream));
        return all;
    }
    std::vector<WindowCall> calls_;
};

// The start waits for the post, the wait for the complete. Rank 2 posts when both have gone on.
TEST_F(WindowWaits, OriginAndTargetWaitForEachOther) {
    call(0, "MPI_Win_start", 10, 51);
    call(1, "MPI_Win_post", 50, 52);
    call(1, "MPI_Win_wait", 60, 91);
    call(0, "MPI_Win_complete", 90, 92);
    call(2, "MPI_Win_post", 100, 101);
    EXPECT_THAT(waits(),
                ElementsAre("0: Late post, at most 10-50 for 1", "1: Late complete, at most 60-90 for 0"));
}

// Rank 0 has the lock of target 3 until 70. Rank 1 wants it, too; rank 2 that of another target.
TEST_F(WindowWaits, ALockIsWaitedForUntilItsHolderUnlocks) {
    call(0, "MPI_Win_lock", 10, 11, 3);
    call(1, "MPI_Win_lock", 20, 72, 3);
    call(2, "MPI_Win_lock", 30, 75, 1);
    call(0, "MPI_Win_unlock", 70, 71, 3);
    EXPECT_THAT(waits(), ElementsAre("1: Wait for a lock, at most 20-70 for 0"));
}

// The lock is taken when it is first needed, so the call that locks returns at once.
TEST_F(WindowWaits, AFlushWaitsForALockThatIsTakenLate) {
    call(0, "MPI_Win_lock", 10, 11, 3);
    call(1, "MPI_Win_lock_all", 20, 21);
    call(1, "MPI_Win_flush", 30, 72, 3);
    call(0, "MPI_Win_unlock", 70, 71, 3);
    EXPECT_THAT(waits(), ElementsAre("1: Wait for a lock, at most 30-70 for 0"));
}

TEST_F(WindowWaits, SharedLocksDoNotKeepOthersWaiting) {
    call(0, "MPI_Win_unlock_all", 10, 40);
    call(1, "MPI_Win_unlock_all", 20, 45);
    EXPECT_THAT(waits(), IsEmpty());
}

TEST_F(WindowWaits, CallsBehindAGapHaveNone) {
    FoundObjects found;
    MpiObject& window = found.objects.emplace_back();
    window.communicator_id = 7;
    window.process = 2;
    for (const bool behind_gap : {false, true}) {
        ObjectCall& made = found.calls.emplace_back();
        while (mpi_function_rows[made.function].name != "MPI_Win_lock") ++made.function;
        made.target = 1;
        made.behind_gap = behind_gap;
    }
    const auto calls = window_calls(found);
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].process, 2u);
    EXPECT_EQ(calls[0].target, 1);
}

}  // namespace
}  // namespace ovni::test
