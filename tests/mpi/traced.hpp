// Runs programs under mpirun with the tracing library, as a user does, and reads what they left.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/support/asan_options.hpp"
#include "tests/support/launcher_of_tests.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/words.hpp"
#include "tests/support/workers.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

// A program of tests/apps.
inline std::string app(const std::string& name) {
    return std::string(BUILD_DIR) + "/tests/apps/" + name + (other_mpi().empty() ? "" : "_" + other_mpi());
}

// One event with the payload of a mark.
struct Mark {
    std::string code;  // behind MX the number of the function: "MX[70"
    int64_t clock = 0;
    int64_t value = 0;
};

// The events inside of calls, which tell what they did: see ovni/mpi_events.h.
inline bool is_detail(const std::string& code) {
    return code.starts_with("MX") && code.find_first_of("psogcrbCONkue@") == 2;
}

// The details are left out.
inline std::vector<Mark> events_of(const Trace& trace, uint32_t stream) {
    std::vector<Mark> events;
    for (StreamReader reader = trace.reader(stream, 0, ClockOrder::checked); reader.next();) {
        const EventView& event = reader.event();
        if (event.kind != EventView::Kind::event) {
            const char* kind = event.kind == EventView::Kind::gap_begin ? "gap"
                               : event.kind == EventView::Kind::gap_end ? "end"
                                                                        : "cut";
            events.push_back({kind, event.clock, 0});
            continue;
        }
        Mark mark{event.code.text().data(), event.clock, 0};
        if (is_detail(mark.code)) continue;
        if (event.code == "MX[" || event.code == "MX]") {
            uint16_t number = 0;
            std::memcpy(&number, event.payload().data(), sizeof number);
            mark.code += std::to_string(number);
        }
        if (event.payload().size() >= sizeof mark.value)
            std::memcpy(&mark.value, event.payload().data(), sizeof mark.value);
        events.push_back(mark);
    }
    return events;
}

// "MCb MCB OM[halo OM]halo gap end": the codes of a stream, marks with their labels, without the life cycle.
inline std::string story_of(const Trace& trace, uint32_t stream) {
    std::map<int64_t, std::string> labels;
    for (const MarkType& type : *trace.streams()[stream].metadata.common->marks)
        labels.insert(type.labels.begin(), type.labels.end());
    std::string story;
    for (const Mark& event : events_of(trace, stream)) {
        if (event.code[0] == 'O' && event.code[1] != 'M' && event.code[1] != 'B') continue;
        story += (story.empty() ? "" : " ") + event.code;
        if (event.code.starts_with("OM")) story += labels[event.value];
    }
    return story;
}

inline std::map<std::string, int> counts_of(const Trace& trace, uint32_t stream) {
    std::map<std::string, int> counts;
    for (const Mark& event : events_of(trace, stream)) ++counts[event.code];
    return counts;
}

class TracedTest : public ::testing::Test {
 protected:
    Finished mpirun(int ranks, const Words& words, const Words& environment = {}) const {
        return run(Words{launcher(), "-n", std::to_string(ranks)} + words, environment + of_jobs(), 120);
    }
    // The trace as these emulate it.
    Finished emulated(const Workers& workers, const Words& arguments, const Words& environment = {}) const {
        return run(workers.emulator() + arguments + Words{trace_directory()}, environment + of_jobs(), 120);
    }
    // The environment of this process is made ready for jobs that a test starts by itself.
    static void prepare_for_mpirun() {
        for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
            ::setenv(name, "1", 1);
        ::setenv("ASAN_OPTIONS", asan_options.c_str(), 1);
    }
    // Below ovnirun, with the trace in trace_directory().
    Finished traced(int ranks, const Words& words, const Words& options = {},
                    const Words& environment = {}) const {
        return mpirun(ranks, Words{program("ovnirun"), "-o", trace_directory()} + options + words,
                      environment);
    }
    // Traces as traced() does, into shared_path(name), but only once in this process if that succeeds: for
    // tests that only read the trace.
    const Finished& traced_once(const std::string& name, int ranks, const Words& words,
                                const Words& options = {}) {
        static std::map<std::string, Finished> jobs;
        shared_ = shared_path(name);
        if (!jobs.contains(name) || jobs[name].status != 0) {
            const auto before = std::filesystem::current_path();
            std::filesystem::current_path(shared_);
            jobs[name] = traced(ranks, words, options);
            std::filesystem::current_path(before);
        }
        return jobs[name];
    }
    static std::filesystem::path shared_path(const std::string& name) {
        static const TemporaryDirectory all;
        std::filesystem::create_directories(all.path() / name);
        return all.path() / name;
    }
    static inline const Words spawn_limit{"--timeout", "20"};
    // Open MPI itself hangs in some jobs that spawn, with tracing or without: `job` runs with spawn_limit,
    // and again if it came there.
    template <class Job>
    static Finished spawning(Job job) {
        constexpr int attempts = 6, timed_out = 110;
        Finished done = job();
        for (int i = 1; i < attempts && done.status == timed_out; ++i) done = job();
        return done;
    }
    std::string trace_directory() const { return (shared_.empty() ? directory_.path() : shared_) / "ovni"; }
    std::string path(const std::string& name) const { return directory_.path() / name; }
    Trace trace() const { return Trace::open(trace_directory()); }
    std::vector<Stream> streams() const { return trace().streams(); }
    // How often regions of MPI_Pcontrol were visited, as the report and ovnitop say.
    std::map<std::string, int> visits() const {
        const Finished done = run(
            {program("ovniemu"), "--report", path("visits.json"), "-o", path("visits"), trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
        const std::string table = run({program("ovnitop"), "--regions", trace_directory()}).out;
        std::map<std::string, int> visits;
        const auto report = nlohmann::json::parse(read_file(path("visits.json")));
        for (const auto& region : report["total"]["regions"]) {
            const std::string name = region["region"];
            visits[name] = region["visits"];
            EXPECT_THAT(table,
                        testing::ContainsRegex("all +" + name + " +" + std::to_string(visits[name]) + " "));
        }
        return visits;
    }
    // A strict reader accepts the trace.
    void expect_emulates(const Words& options = {}) const {
        Finished emulated = run(Words{program("ovniemu")} + options + Words{trace_directory()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }

 private:
    static Words of_jobs() {
        return {"ASAN_OPTIONS=" + asan_options, "OMPI_ALLOW_RUN_AS_ROOT=1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
                "OMPI_MCA_mpi_yield_when_idle=1"};
    }

    TemporaryDirectory directory_;
    std::filesystem::path shared_;  // of the job that this test shares
};

}  // namespace ovni::test
