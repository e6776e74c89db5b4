#include "run/scattered_trace.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/outputs.hpp"
#include "core/launcher.hpp"
#include "run/run_directories.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

bool are_one(const fs::path& a, const fs::path& b) {
    std::error_code none;
    return a == b || fs::equivalent(a, b, none);
}

std::vector<writer::Session> parts_of(uint64_t job) {
    std::vector<writer::Session> parts;
    for (const fs::path& place : run_directories()) {
        writer::Session part = writer::Session::open(place.string());
        if (part.is_valid() && part.header().job.load(std::memory_order_acquire) == job && part.is_served())
            parts.push_back(std::move(part));
    }
    return parts;
}

// If parts find each other at the same time, one of them warns. A part that stops during its turn delays the
// others by half a second.
bool is_first_to_warn(const writer::Session& own, const std::vector<writer::Session>& parts) {
    constexpr int attempts = 50;
    constexpr timespec moment{0, 10'000'000};
    const std::string place = fs::path(own.directory()).parent_path();
    const Fd turn(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < attempts && ::flock(turn.get(), LOCK_EX | LOCK_NB) != 0; ++i)
        ::nanosleep(&moment, nullptr);
    for (const writer::Session& part : parts)
        if (part.header().is_scatter_reported.load()) return false;
    own.header().is_scatter_reported.store(1);
    return true;
}

}  // namespace

DirectoryOf directory_of(const char* pattern) {
    for (std::string_view rest = pattern ? pattern : ""; rest.size() > 1;
         rest.remove_prefix(rest[0] == '%' ? 2 : 1))
        if (rest.starts_with("%r")) return DirectoryOf::rank;
    return DirectoryOf::job;
}

void warn_of_scattered_trace(const writer::Session& own, const std::string& directory) {
    const uint64_t job = rank_by_launcher() >= 0 ? job_by_launcher() : 0;
    const std::string here = resolved(directory);
    writer::SessionHeader& header = own.header();
    if (job == 0 || std::getenv("OVNI_SESSION") || here.size() >= sizeof header.trace_directory) return;
    here.copy(header.trace_directory, here.size());
    header.job.store(job, std::memory_order_release);
    const std::vector<writer::Session> parts = parts_of(job);
    for (const writer::Session& part : parts) {
        const std::string there(part.header().trace_directory);
        if (are_one(here, there) || !is_first_to_warn(own, parts)) continue;
        std::fprintf(
            stderr,
            "ovnirun: warning: parts of this job write to two trace directories, %s and %s, so neither "
            "has the whole job: name one for all by its full path, as ovnirun -o %s\n",
            there.c_str(), here.c_str(), there.c_str());
        return;
    }
}

}  // namespace ovni::run
