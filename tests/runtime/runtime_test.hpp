// Support of the tests of libovni: what a traced program does stands as a lambda in the test and runs in a
// process of its own, and what it left on disk is read back.
//
//     TEST_F(RuntimeTest, EventsAreWritten) {
//         run_traced([] { start(); put("OHx", 10, 0, -1, uint64_t{0}); put("OHe", 20); stop(); });
//         EXPECT_EQ(events(), "OHx OHe");
//     }
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ovni.h"
#include "ovni/format.h"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

#if defined __SANITIZE_THREAD__
inline constexpr bool below_tsan = true;
#else
inline constexpr bool below_tsan = false;
#endif
// Why cases skip below sanitizers whose children emit, and so have a drainer; null where they do not. What
// they tell is nothing of ours: no other thread runs in the child, which writes to its own copy of the
// memory.
#if defined __SANITIZE_THREAD__
inline constexpr const char* no_forked_children =
    "ThreadSanitizer lets no thread begin in a forked child, not even the drainer, where its parent had "
    "several";
inline constexpr const char* no_cloned_children =
    "ThreadSanitizer does not know of a raw clone() that the parent's threads are not in the child";
#elif defined __SANITIZE_ADDRESS__
inline constexpr const char* no_forked_children =
    "AddressSanitizer leaves its memory locked in a forked child where another thread of the parent had it";
inline constexpr const char* no_cloned_children = no_forked_children;
#else
inline constexpr const char *no_forked_children = nullptr, *no_cloned_children = nullptr;
#endif

constexpr int test_pid = 4321;
constexpr int test_tid = 4321;
constexpr const char* test_loom = "nodeA.app1";

// The usual beginning and end of a traced program.
inline void start(pid_t tid = test_tid) {
    ovni_proc_init(7, test_loom, test_pid);
    ovni_thread_init(tid);
}
inline void stop() {
    ovni_thread_free();
    ovni_proc_fini();
}

inline ovni_ev event(const char* mcv, uint64_t clock) {
    ovni_ev ev{};
    ovni_ev_set_mcv(&ev, mcv);
    ovni_ev_set_clock(&ev, clock);
    return ev;
}

// Emits through the C API; arguments have at least two bytes each.
template <class... Args>
void put(const char* mcv, uint64_t clock, Args... args) {
    ovni_ev ev = event(mcv, clock);
    (ovni_payload_add(&ev, reinterpret_cast<const uint8_t*>(&args), sizeof args), ...);
    ovni_ev_emit(&ev);
}
inline void put_begin(uint64_t clock) {
    put("OHx", clock, int32_t{0}, int32_t{-1}, uint64_t{0});
}

struct RecordedEvent {
    std::string code;
    uint64_t clock = 0;
    uint64_t offset = 0;
    std::string payload;  // with the size field of a jumbo event

    template <class T>
    T argument(size_t at) const {
        T value{};
        if (at + sizeof value <= payload.size()) memcpy(&value, payload.data() + at, sizeof value);
        return value;
    }
};

std::string file_content(const std::filesystem::path& path);

// One stream on disk. A file that is no valid stream is a failure of the test.
struct RecordedStream {
    explicit RecordedStream(std::filesystem::path stream_directory);
    std::string codes() const;  // "OHx OB. OHe"
    bool clocks_never_decrease() const;

    std::filesystem::path directory;
    std::string bytes;  // of the plain stream
    std::string json_text;
    nlohmann::ordered_json json;  // null where there is none
    nlohmann::ordered_json gaps;
    std::vector<RecordedEvent> events;
};

class RuntimeTest : public ::testing::Test {
 protected:
    RuntimeTest() : RuntimeTest(std::filesystem::temp_directory_path()) {}
    // The trace and the run directory lie below `place`.
    explicit RuntimeTest(const std::filesystem::path& place);

    // Runs the body in a process of its own with the trace in trace(). Without an exit of its own the process
    // ends by exit(0).
    void run_traced(const std::function<void()>& body);
    // The exit status of the last process, or 128 + signal; and what it printed.
    int status() const { return last_.status; }
    const std::string& printed_errors() const { return last_.err; }

    std::filesystem::path home() const { return directory_.path(); }
    std::filesystem::path trace() const { return directory_.path() / "ovni"; }
    void set_environment(const std::string& name, const std::string& value) { environment_[name] = value; }

    // ovnirecover, behind words of the shell, for what is left below home(); others leave something
    // elsewhere.
    Finished recover(const std::string& shell = "") const;

    // All streams of the trace, sorted by path.
    std::vector<RecordedStream> streams() const;
    // The only one.
    RecordedStream stream() const;
    std::string codes() const { return stream().codes(); }

 private:
    TemporaryDirectory directory_;
    std::map<std::string, std::string> environment_;
    Finished last_;
};

}  // namespace ovni::test
