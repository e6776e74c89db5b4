// The environment's settings of memory, and the treatment of wrong ones.
#include <gmock/gmock.h>

#include <algorithm>
#include <barrier>
#include <fstream>
#include <sstream>
#include <thread>

#include "ring/ring.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t k = 1024, M = k * k;

class SettingsTest : public RuntimeTest {
 protected:
    // The memory for events of each of `threads` threads that are there at once, by a program that records
    // one event with each.
    std::vector<size_t> rings_of(int threads) {
        fs::path told = home() / "told";
        run_traced([&] {
            ovni_proc_init(7, test_loom, test_pid);
            std::barrier all(threads, [&]() noexcept { fs::copy_file(newest_list(), told); });
            std::vector<std::thread> team;
            for (int t = 0; t < threads; ++t)
                team.emplace_back([&all, t] {
                    ovni_thread_init(1 + t);
                    put("OB.", 1);
                    all.arrive_and_wait();
                    ovni_thread_free();
                });
            for (std::thread& thread : team) thread.join();
            ovni_proc_fini();
        });
        EXPECT_EQ(status(), 0);
        EXPECT_EQ(streams().size(), static_cast<size_t>(threads));
        std::istringstream list(file_content(told));
        return {std::istream_iterator<size_t>(list), {}};
    }
    // Printed for a setting that was told once.
    static std::string complaint(const std::string& text) { return "ERROR: ovni: " + text + "\n"; }

 private:
    fs::path newest_list() const {
        fs::path list = home() / "list";
        std::vector<size_t> sizes;
        for (const auto& file : fs::recursive_directory_iterator(home()))
            if (writer::Ring ring = writer::Ring::open(file.path()); ring.is_mapped())
                sizes.push_back(ring.capacity());
        std::sort(sizes.rbegin(), sizes.rend());
        std::ofstream out(list);
        for (size_t size : sizes) out << size << '\n';
        return list;
    }
};

TEST_F(SettingsTest, TheBufferHasTheSizeThatIsAskedFor) {
    for (auto [text, size] : {std::pair("512k", 512 * k),
                              {"524288", 512 * k},
                              {"3M", 3 * M},
                              {"1", 256 * k},
                              {"1G", 16 * M},
                              {"300001", 299008}}) {
        fs::remove_all(trace());
        fs::remove(home() / "told");
        set_environment("OVNI_BUFFER", text);
        EXPECT_THAT(rings_of(1), ElementsAre(size)) << text;
        EXPECT_THAT(printed_errors(), IsEmpty());
    }
}

TEST_F(SettingsTest, WhatIsNoSizeIsToldAndTheDefaultHolds) {
    for (const char* variable : {"OVNI_BUFFER", "OVNI_BUFFER_TOTAL", "OVNI_LIMIT"})
        for (const char* text :
             {"2x", "-1", "k", "1 k", "1kk", "99999999999999999999", "18446744073709551615G"}) {
            fs::remove_all(trace());
            fs::remove(home() / "told");
            set_environment(variable, text);
            EXPECT_THAT(rings_of(1), ElementsAre(2 * M + 4 * k)) << variable << "=" << text;
            EXPECT_EQ(printed_errors(), complaint(std::string(variable) + " is no size: " + text));
            EXPECT_EQ(codes(), "OB.");
            set_environment(variable, "");
        }
}

TEST_F(SettingsTest, AnUnknownPolicyIsToldAndThreadsWait) {
    set_environment("OVNI_ON_FULL", "never");
    set_environment("OVNI_BUFFER", "256k");
    run_traced([] {
        start();
        for (uint64_t i = 0; i < 400'000; ++i) put("OB.", i);
        stop();
    });
    EXPECT_EQ(printed_errors(), complaint("OVNI_ON_FULL is block or discard, not never"));
    EXPECT_EQ(stream().events.size(), 400'000u);
}

// Beyond what is allowed for all, a thread gets the least with which it can work.
TEST_F(SettingsTest, ManyThreadsGetLessOfTheTotal) {
    set_environment("OVNI_BUFFER", "1M");
    set_environment("OVNI_BUFFER_TOTAL", "4M");
    EXPECT_THAT(rings_of(8), ElementsAre(M, M, M, M, 256 * k, 256 * k, 256 * k, 256 * k));
    EXPECT_THAT(printed_errors(), IsEmpty());
}

}  // namespace
}  // namespace ovni::test
