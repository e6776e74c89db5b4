// Many threads, and signal handlers, at the same sites: each arming fires once, starts and stops take turns.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "region/engine.hpp"
#include "tests/region/plan_of.hpp"

namespace ovni::region::test {

namespace {

constexpr unsigned thread_count = 4;
constexpr int rounds = 20'000;

// The turns of an alarm pair for all threads: 0 before a start, 1 before a stop.
struct Turns {
    std::atomic<int> turn{0};
    std::atomic<int> firings{0};
    std::atomic<int> out_of_turn{0};

    void note(Event event) {
        int expected = event == Event::start ? 0 : 1;
        firings.fetch_add(1);
        if (!turn.compare_exchange_strong(expected, 1 - expected)) out_of_turn.fetch_add(1);
    }
};

// Chain 0 broadcasts, chain 1 counts globally, chain 2 is each thread's own.
struct Record {
    Turns together;
    Turns global;
    Turns own[thread_count];

    static void note(void* context, const Firing& firing) noexcept {
        auto& record = *static_cast<Record*>(context);
        if (firing.alarm < 2)
            record.together.note(firing.event);
        else if (firing.alarm < 4)
            record.global.note(firing.event);
        else
            record.own[firing.thread].note(firing.event);
    }
};

const std::vector<std::string> chains = {
    "start:pcontrol:a:bcast,stop:pcontrol:b:bcast,repeat",
    "start:pcontrol:a:count3:global,stop:pcontrol:b:count5:global,repeat",
    "start:pcontrol:a:count2,stop:pcontrol:b,repeat"};

void pass_sites(Engine& engine, uint32_t number, int times) {
    Thread thread = engine.attach(number);
    for (int i = 0; i < times; ++i) {
        engine.hit(thread, AlarmKind::pcontrol, i % 2 == 0 ? "a" : "b", 1);
    }
    engine.detach(thread);
}

TEST(EngineThreads, EachArmingFiresOnce) {
    Record record;
    Engine engine(plan_of(chains), {8, DefaultStart::off, {&record, Record::note, nullptr}});
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < thread_count; ++i) threads.emplace_back(pass_sites, std::ref(engine), i, rounds);
    for (std::thread& thread : threads) thread.join();
    for (const Turns* turns : {&record.together, &record.global}) {
        EXPECT_EQ(turns->out_of_turn, 0);
        EXPECT_GT(turns->firings, 0);
        EXPECT_LE(turns->firings, static_cast<int>(thread_count) * rounds);
    }
    // a b a b: the second a starts, the b after it stops.
    for (const Turns& own : record.own) {
        EXPECT_EQ(own.out_of_turn, 0);
        EXPECT_EQ(own.firings, rounds / 2);
    }
}

TEST(EngineThreads, SlotsAreHandedOutOnce) {
    Engine engine(plan_of({"start:int3"}), {thread_count, DefaultStart::off, {}});
    std::vector<std::atomic<int>> users(thread_count);
    std::atomic<int> doubly{0};
    auto live = [&] {
        for (int i = 0; i < 2000; ++i) {
            Thread thread = engine.attach(engine.next_thread_number());
            if (thread.slot >= thread_count || users[thread.slot].fetch_add(1) != 0) doubly.fetch_add(1);
            engine.hit(thread, AlarmKind::int3);
            users[thread.slot].fetch_sub(1);
            engine.detach(thread);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < thread_count; ++i) threads.emplace_back(live);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(doubly, 0);
    EXPECT_EQ(engine.threads_without_slot(), 0u);
}

TEST(EngineThreads, GlobalInstructionsFireOncePerTarget) {
    static std::atomic<int> firings;
    firings = 0;
    auto count = [](void*, const Firing&) noexcept { firings.fetch_add(1); };
    Engine engine(plan_of({"start:icount:1000000000:global"}),
                  {8, DefaultStart::off, {nullptr, count, nullptr}});
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < thread_count; ++i)
        threads.emplace_back([&engine, i] {
            Thread thread = engine.attach(i);
            for (int block = 0; block < rounds; ++block) engine.block(thread, 25'000);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(firings, 1);
}

Engine* interrupted_engine;
Thread interrupted_thread;
std::atomic<int> handled;

void pass_sites_in_handler(int) {
    interrupted_engine->hit(interrupted_thread, AlarmKind::pcontrol, "b", 1);
    interrupted_engine->hit(interrupted_thread, AlarmKind::pcontrol, "a", 1);
    handled.fetch_add(1);
}

TEST(EngineThreads, HandlersMayPassSitesInTheMidstOfOne) {
    Record record;
    Engine engine(plan_of(chains), {8, DefaultStart::off, {&record, Record::note, nullptr}});
    interrupted_engine = &engine;
    interrupted_thread = engine.attach(0);
    handled = 0;
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = pass_sites_in_handler;
    sigaction(SIGUSR1, &action, &before);
    std::atomic<bool> is_done{false};
    pthread_t self = pthread_self();
    std::thread sender([&] {
        while (!is_done) {
            pthread_kill(self, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    });
    while (handled < 1000)
        for (int i = 0; i < 100; ++i)
            engine.hit(interrupted_thread, AlarmKind::pcontrol, i % 2 == 0 ? "a" : "b", 1);
    is_done = true;
    sender.join();
    sigaction(SIGUSR1, &before, nullptr);
    for (const Turns* turns : {&record.together, &record.global, &record.own[0]}) {
        EXPECT_GT(turns->firings, 0);

        // arming.
        EXPECT_EQ(turns->out_of_turn, 0);
    }
}

}  // namespace

}  // namespace ovni::region::test
