// The engine as back ends see it: slots, what is armed, how far it is to the next firing.
#include "region/engine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/region/plan_of.hpp"

namespace ovni::region::test {

namespace {

struct Log {
    std::string fired;
    std::string armed;
    static void note_firing(void* context, const Firing& firing) noexcept {
        static_cast<Log*>(context)->fired += std::string(name_of(firing.event)) +
                                             std::to_string(firing.thread) + "/" +
                                             std::to_string(firing.alarm) + " ";
    }
    static void note_arming(void* context, uint16_t alarm, uint32_t thread) noexcept {
        static_cast<Log*>(context)->armed +=
            std::to_string(alarm) + (thread == all_threads ? "*" : "t" + std::to_string(thread)) + " ";
    }
};

Engine::Settings settings(Log& log, uint32_t threads = 4) {
    return {threads, DefaultStart::off, {&log, Log::note_firing, Log::note_arming}};
}

TEST(Engine, TellsBackEndsWhatIsArmed) {
    Log log;
    Engine engine(plan_of({"start:pcontrol:a,stop:timeout:2:bcast,repeat", "stop:mpi:Send:tid1,waitfor:x",
                           "precond:int3,name:x"}),
                  settings(log));
    EXPECT_EQ(log.armed, "0* 3* ");
    Thread main = engine.attach(0);
    Thread other = engine.attach(1);
    EXPECT_TRUE(engine.is_armed(main, AlarmKind::pcontrol));
    EXPECT_FALSE(engine.is_armed(main, AlarmKind::timeout));
    EXPECT_TRUE(engine.is_awaited(AlarmKind::timeout, 2'000'000'000));
    EXPECT_FALSE(engine.is_awaited(AlarmKind::magic));
    engine.hit(main, AlarmKind::pcontrol, "a", 1);
    EXPECT_TRUE(engine.is_armed(main, AlarmKind::timeout));
    EXPECT_FALSE(engine.is_armed(other, AlarmKind::timeout));
    engine.hit(main, std::vector<uint16_t>{1});
    engine.hit(main, AlarmKind::int3);
    EXPECT_TRUE(engine.is_armed(other, AlarmKind::mpi));
    EXPECT_FALSE(engine.is_armed(main, AlarmKind::mpi));
    EXPECT_EQ(log.armed, "0* 3* 1t0 0* 2t1 ");
    EXPECT_EQ(log.fired, "start0/0 stop0/1 ");
}

TEST(Engine, AddressHitsComeByAlarm) {
    Log log;
    Engine engine(plan_of({"start:address:f", "stop:address:0x10,start:address:f"}), settings(log));
    Thread main = engine.attach(0);
    const std::vector<uint16_t> site = {0, 1, 2};
    engine.hit(main, site);
    EXPECT_EQ(log.fired, "start0/0 stop0/1 ");
    engine.hit(main, site);
    EXPECT_EQ(log.fired, "start0/0 stop0/1 start0/2 ");
}

TEST(Engine, ThreadsBeyondTheSlotsTakePartInSharedAlarms) {
    Log log;
    Engine engine(plan_of({"start:int3", "stop:int3:count2:global", "threadid:int3:tid2"}), settings(log, 1));
    Thread main = engine.attach(0);
    Thread second = engine.attach(2);
    EXPECT_EQ(second.slot, Thread::no_slot);
    EXPECT_EQ(engine.threads_without_slot(), 1u);
    engine.hit(second, AlarmKind::int3);
    EXPECT_EQ(log.fired, "threadid2/2 ");
    EXPECT_EQ(engine.instructions_until_next(second), largest_target);
    engine.hit(main, AlarmKind::int3);
    EXPECT_EQ(log.fired, "threadid2/2 start0/0 stop0/1 ");
}

TEST(Engine, SlotsOfEndedThreadsAreNew) {
    Log log;
    Engine engine(plan_of({"start:int3:count2,stop:int3"}), settings(log, 65));
    std::vector<Thread> threads;
    for (uint32_t i = 0; i < 65; ++i) threads.push_back(engine.attach(engine.next_thread_number()));
    EXPECT_EQ(threads[64].slot, 64u);
    for (Thread thread : threads) engine.hit(thread, AlarmKind::int3);
    engine.hit(threads[64], AlarmKind::int3);
    engine.detach(threads[64]);
    Thread later = engine.attach(engine.next_thread_number());
    EXPECT_EQ(later.slot, 64u);
    EXPECT_EQ(engine.threads_without_slot(), 0u);
    engine.hit(later, AlarmKind::int3);
    EXPECT_EQ(log.fired, "start64/0 ");
    engine.hit(later, AlarmKind::int3);
    EXPECT_EQ(log.fired, "start64/0 start65/0 ");
}

TEST(Engine, SaysHowFarItIsToTheNextFiring) {
    Log log;
    Engine engine(plan_of({"start:icount:100:count2", "stop:icount:500:global"}), settings(log));
    Thread main = engine.attach(0);
    Thread other = engine.attach(1);
    EXPECT_EQ(engine.instructions_until_next(main), 200u);
    engine.instructions(main, 150);
    engine.block(other, 190);
    EXPECT_EQ(engine.instructions_until_next(main), 50u);
    EXPECT_EQ(engine.instructions_until_next(other), 10u);
    engine.block(main, 50);
    EXPECT_EQ(log.fired, "start0/0 ");
    EXPECT_EQ(engine.instructions_until_next(main), 110u);
    engine.instructions(other, 1'000'000'000'000);
    EXPECT_EQ(log.fired, "start0/0 start1/0 stop1/1 ");
    EXPECT_EQ(engine.instructions_until_next(other), largest_target);
}

// Instructions that were executed before an alarm was armed do not count, though they are reported later.
TEST(Engine, WhatIsReportedLateCountsForWhatWasArmed) {
    Log log;
    Engine engine(
        plan_of({"precond:cpuid:1,start:icount:100,repeat", "precond:cpuid:2:bcast,stop:icount:50:bcast"}),
        settings(log));
    Thread main = engine.attach(0);
    Thread other = engine.attach(1);
    engine.hit(main, AlarmKind::cpuid, 1);
    engine.begin_count(main);
    engine.settle(main, 60);
    EXPECT_EQ(engine.begin_count(main), 40u);
    engine.hit(other, AlarmKind::cpuid, 2);
    // The first alarm counts these, the second one does not.
    engine.settle(main, 30);
    EXPECT_EQ(engine.begin_count(main), 10u);
    engine.settle(main, 10);
    EXPECT_EQ(log.fired, "start0/1 ");
    engine.hit(main, AlarmKind::cpuid, 1);
    engine.settle(main, 39);
    EXPECT_EQ(engine.begin_count(main), 1u);
    engine.settle(main, 1);
    EXPECT_EQ(log.fired, "start0/1 stop0/3 ");
    EXPECT_EQ(engine.begin_count(main), 99u);
}

// The epoch of an alarm comes round after 65536 changes; a thread that slept through them must not wake up
// armed.
TEST(Engine, EpochsThatComeAgainMeanNothingOld) {
    Log log;
    Engine engine(
        plan_of({"start:pcontrol:a:bcast,stop:pcontrol:b:bcast,repeat", "start:cpuid:1,stop:cpuid:2,repeat"}),
        settings(log));
    Thread main = engine.attach(0);
    Thread sleeper = engine.attach(1);
    engine.hit(sleeper, AlarmKind::cpuid, 1);
    for (int i = 0; i < 200'000; ++i) {
        log.fired.clear();
        engine.hit(main, AlarmKind::pcontrol, i % 2 == 0 ? "a" : "b", 1);
        ASSERT_NE(log.fired, "") << i;
    }
    log.fired.clear();
    engine.hit(sleeper, AlarmKind::cpuid, 2);
    EXPECT_EQ(log.fired, "stop1/3 ");
}

TEST(Engine, UniformBeginsAnewWhenItIsArmedAgain) {
    EXPECT_EQ(play({"uniform:8:5:1,repeat:2"}, "T0:i20"),
              "start(t0,bcast)@0:T0:i20#1 stop(t0,bcast)@0:T0:i20#5 start(t0,bcast)@0:T0:i20#6 "
              "stop(t0,bcast)@0:T0:i20#10");
    EXPECT_EQ(play({"uniform:5:5:2"}, "T0:i20"),
              "start(t0,bcast)@0:T0:i20#1 stop(t0,bcast)@0:T0:i20#5 start(t0,bcast)@0:T0:i20#6 "
              "stop(t0,bcast)@0:T0:i20#10");
}

TEST(Engine, LevelsSubleavesFunctionsAndDurationsAreCompared) {
    EXPECT_EQ(play({"start:pcontrol:a"}, "T0:pc.a@0 T0:pc.a@2 T0:pc.a@-1"), "start(t0)@2:T0:pc.a@-1");
    EXPECT_EQ(play({"start:pcontrol:a@0"}, "T0:pc.a T0:pc.a@0"), "start(t0)@1:T0:pc.a@0");
    EXPECT_EQ(play({"start:cpuid:7.1"}, "T0:cpuid.7 T0:cpuid.7.1"), "start(t0)@1:T0:cpuid.7.1");
    EXPECT_EQ(
        play({"start:mpi:Send,stop:slowcall:Recv:2us"}, "T0:mpi.2 T0:mpi.1 T0:slow.2.1999 T0:slow.2.2000"),
        "start(t0)@1:T0:mpi.1 stop(t0)@3:T0:slow.2.2000");
}

}  // namespace

}  // namespace ovni::region::test
