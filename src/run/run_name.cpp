#include "run/run_name.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "base/error.hpp"
#include "core/launcher.hpp"

namespace ovni::run {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string batch_job() {
    for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "JOB_ID"})
        if (std::string job = variable(name); !job.empty()) return job.substr(0, 64) + "-";
    return "";
}

std::string name_by_time() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    char when[32];
    std::strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc);
    return fmt::format("{}{}-{}", batch_job(), when, ::getpid());
}

// A program that starts ovnirun, as a script does that runs below it, goes on with its trace.
std::string run_of_outer_ovnirun() {
    const std::string given = variable("OVNI_SESSION");
    const writer::Session outer = given.empty() ? writer::Session() : writer::Session::open(given);
    if (!outer.is_valid() || !outer.is_served()) return "";
    const writer::SessionHeader& header = outer.header();
    return {header.run, strnlen(header.run, sizeof header.run)};
}

std::string run_name() {
    if (std::string given = variable("OVNI_RUN"); !given.empty()) {
        // The name is part of file names and of JSON as it stands.
        for (char& letter : given)
            if (letter == '/' || letter == '\\' || letter == '"') letter = '_';
        return given;
    }
    const uint64_t job = rank_by_launcher() >= 0 ? job_by_launcher() : 0;
    if (job != 0) return fmt::format("job-{:016x}", job);
    const std::string outer = run_of_outer_ovnirun();
    return outer.empty() ? name_by_time() : outer;
}

}  // namespace

void write_run_name(writer::SessionHeader& session) {
    const std::string name = run_name();
    const size_t length = name.copy(session.run, sizeof session.run - 1);
    session.run[length] = '\0';
}

}  // namespace ovni::run
