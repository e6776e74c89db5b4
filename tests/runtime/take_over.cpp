// How a program takes over the streams that our own libraries opened (ovni/private.h).
#include <gmock/gmock.h>

#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/ours.hpp"

namespace ovni::test {
namespace {

class TakeOverTest : public RuntimeTest {};

TEST_F(TakeOverTest, EmptyStreamBecomesThePrograms) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        bool none = ovni_thread_isready() == 0;
        start();
        none = none && ovni_thread_isready() == 1 && !ovni_private_thread_is_ours() &&
               !ovni_private_thread_open();
        put_begin(100);
        bool running = ovni_private_thread_open() == 1;
        put("OHe", 200);
        bool dead = ovni_private_thread_open() == 0;
        stop();
        ::exit(!(none && running && dead));
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OHx OHe");
    const auto ovni = stream().json["ovni"];
    EXPECT_EQ(ovni["loom"], test_loom);
    EXPECT_EQ(ovni["app_id"], 7);
    EXPECT_EQ(ovni["pid"], test_pid);
    EXPECT_EQ(ovni["tid"], test_tid);
    // The program says nothing of its rank; its CPUs would be those of another loom.
    EXPECT_EQ(ovni["rank"], 2);
    EXPECT_FALSE(ovni.contains("loom_cpus"));
}

TEST_F(TakeOverTest, EventsBeforeInitHaveALifeOfTheirOwn) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        identify();
        ovni_private_require("mpi", "1.0.0");
        start(own_tid());
        emit("MUI");
        put_begin(ovni_clock_now());
        put("OB.", ovni_clock_now());
        put("OHe", ovni_clock_now());
        ovni_add_cpu(0, 77);
        ovni_proc_set_rank(0, 1);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx MUi MUI OHe OHx OB. OHe");
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_EQ(recorded.events[0].argument<int32_t>(0), -1);
    EXPECT_EQ(recorded.json["ovni"]["loom_cpus"].dump(), R"([{"index":0,"phyid":77}])");
    EXPECT_EQ(recorded.json["ovni"]["rank"], 0);
    EXPECT_EQ(recorded.json["ovni"]["loom"], test_loom);
    EXPECT_EQ(recorded.json["ovni"]["require"].dump(), R"({"ovni":"1.1.0","mpi":"1.0.0"})");
    EXPECT_FALSE(recorded.json["ovni"].contains("end"));
}

TEST_F(TakeOverTest, ExecuteAloneTakesOverBehindOurEvents) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        emit("MUi");
        emit("OHx", int32_t{-1}, int32_t{-1}, uint64_t{0});
        bool taken = ovni_thread_isready() && !ovni_private_thread_is_ours() && ovni_private_thread_open();
        put("OHp", ovni_clock_now());
        bool paused = !ovni_private_thread_open();
        put("OHr", ovni_clock_now());
        bool running = ovni_private_thread_open();
        put("OHe", ovni_clock_now());
        ovni_private_close_all(nullptr, 0);
        ovni_thread_free();
        ::exit(!(taken && paused && running));
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OHx MUi OHe OHx OHp OHr OHe");
    EXPECT_EQ(stream().json["ovni"]["loom"], "host.us");
    EXPECT_EQ(stream().json["ovni"]["loom_cpus"].size(), 4u);
}

TEST_F(TakeOverTest, ABeginningOlderThanOurEventsGivesWay) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        uint64_t early = ovni_clock_now();
        emit("MUi");
        ovni::emit_at("OHx", early, int32_t{-1}, int32_t{-1}, uint64_t{0});
        put("OHe", ovni_clock_now());
        ovni_thread_free();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "OHx MUi OHe OHx OHe");
    for (size_t i = 1; i < recorded.events.size(); ++i)
        EXPECT_GE(recorded.events[i].clock, recorded.events[i - 1].clock);
}

TEST_F(TakeOverTest, ExecuteAloneTakesOverAStreamWithoutEvents) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        ovni_private_gap(1, 2, 0, "paused");
        put_begin(ovni_clock_now());
        put("OHe", ovni_clock_now());
    });
    EXPECT_EQ(codes(), "OHx OHe");
    EXPECT_EQ(stream().gaps["gaps"][0]["offset"], 8);
}

TEST_F(TakeOverTest, AStreamWithABlockOnDiskIsTakenOver) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        emit("MUi");
        ovni_private_flush_all();
        emit("MUI");
        start();
        put_begin(ovni_clock_now());
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(codes(), "OHx MUi MUI OHe OHx OHe");
    EXPECT_EQ(stream().json["ovni"]["loom"], test_loom);
    EXPECT_EQ(stream().json["ovni"]["tid"], test_tid);
}

TEST_F(TakeOverTest, AfterOurCloseTheStreamGoesOn) {
    set_environment("OVNI_TMPDIR", home() / "tmp");
    run_traced([] {
        identify();
        ovni_private_thread_open();
        emit("MUi");
        ovni_private_close_all("exit", 1);
        start(own_tid());
        put_begin(ovni_clock_now());
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OHx MUi OHe OHx OHe");
    EXPECT_FALSE(stream().json["ovni"].contains("end"));
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
}

TEST_F(TakeOverTest, AfterOurCloseWithoutEventsTheStreamIsNew) {
    run_traced([] {
        ovni_private_thread_open();
        ovni_private_close_all(nullptr, 0);
        start();
        put_begin(5);
        put("OHe", 6);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OHx OHe");
}

TEST_F(TakeOverTest, InitWithoutExecuteLeavesOurLifeOpenUntilTheEnd) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        start();
        put("OB.", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(codes(), "OHx MUi OB. OHe");
}

TEST_F(TakeOverTest, OurEventsGoIntoTheProgramsStream) {
    run_traced([] {
        start();
        int wrong = ovni_private_thread_open() != 0;
        put_begin(ovni_clock_now());
        wrong += ovni_private_thread_open() != 1;
        wrong += ovni_private_thread_is_ours() != 0;
        ovni_private_require("mpi", "1.0.0");
        emit("MUi");
        ovni_private_move_to_cpu(0);
        put("OHc", ovni_clock_now());
        wrong += ovni_private_thread_open() != 0;
        put("OHw", ovni_clock_now());
        wrong += ovni_private_thread_open() != 0;
        put("OHr", ovni_clock_now());
        wrong += ovni_private_thread_open() != 1;
        ovni_private_close_all(nullptr, 0);
        emit("MUI");
        put("OHe", ovni_clock_now());
        ovni_thread_free();
        wrong += ovni_private_thread_open() != 0;
        ovni_proc_fini();
        ::exit(wrong);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OHx MUi OHc OHw OHr MUI OHe");
}

TEST_F(TakeOverTest, ThreadsTheProgramDoesNotKnowBelongToItsProcess) {
    run_traced([] {
        identify({0, 1}, test_loom);
        start();
        put_begin(1);
        std::thread([] {
            ovni_private_thread_open();
            emit("MUi");
        }).join();
        put("OHe", 2);
        stop();
    });
    ASSERT_EQ(streams().size(), 2u);
    for (const RecordedStream& recorded : streams()) {
        EXPECT_EQ(recorded.json["ovni"]["pid"], test_pid);
        EXPECT_EQ(recorded.json["ovni"]["app_id"], 7);
        EXPECT_EQ(recorded.json["ovni"]["loom_cpus"].size(), 2u);
    }
}

TEST_F(TakeOverTest, NothingOpensAfterTheProcessIsGone) {
    run_traced([] {
        start();
        stop();
        std::thread([] { ::_exit(ovni_private_thread_open()); }).join();
    });
    EXPECT_EQ(status(), 0);
}

}  // namespace
}  // namespace ovni::test
