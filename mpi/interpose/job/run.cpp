#include "mpi/interpose/job/run.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "core/foreign_link.hpp"
#include "core/launcher.hpp"
#include "core/run_names.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/job/flag_file.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr const char* batch_jobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "JOB_ID"};

Report not_moved{"cannot move the older trace %s away: two runs mix in it"};
Report moved{"the older trace was moved to %s"};

// Whether the metadata in the file has "run": "<name>". Metadata is written by our own writer, or by the
// reference's, which knows no runs.
bool belongs_to(const char* path, const RunName& run) noexcept {
    static char text[1 << 16];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text);
    close(file);
    std::string_view rest(text, length > 0 ? static_cast<size_t>(length) : 0);
    constexpr std::string_view key = "\"run\"";
    for (size_t at; (at = rest.find(key)) != rest.npos;) {
        rest.remove_prefix(at + key.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" :\t\n"), rest.size()));
        std::string_view name(run.text);
        if (rest.empty() || rest.front() != '"') continue;
        rest.remove_prefix(1);
        if (are_of_one_run(std::string_view(rest.data(), std::min(rest.find('"'), rest.size())), name))
            return true;
    }
    return false;
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) noexcept {
    for (std::string_view end : ends)
        if (name.ends_with(end)) return true;
    return false;
}

bool is_loom(std::string_view name) noexcept {
    return name.starts_with("loom.");
}

// The looms, and what our tools make of them; the directory may hold other things too, which stay.
bool is_part_of_trace(std::string_view name) noexcept {
    bool output =
        name.starts_with("thread.") || name.starts_with("cpu.") || name.find("-breakdown.") != name.npos;
    bool clocks = name == "clock-offsets.txt" || name == "clock-drift.txt" || name == "clocks.json";
    return is_loom(name) || name == "cfg" || clocks ||
           (output && ends_with_any(name, {".prv", ".pcf", ".row"}));
}

bool holds_another_run(const char* loom, const RunName& run) noexcept {
    char* roots[] = {const_cast<char*>(loom), nullptr};
    FTS* walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, nullptr);
    if (!walk) return false;
    bool found = false;
    while (FTSENT* entry = found ? nullptr : fts_read(walk))
        found = strcmp(entry->fts_name, "stream.json") == 0 && !belongs_to(entry->fts_path, run);
    fts_close(walk);
    return found;
}

// Calls see(name) for every entry until it returns false; the result is whether it never did.
template <class See>
bool for_each_entry(const char* directory, See see) noexcept {
    DIR* entries = opendir(directory);
    if (!entries) return true;
    bool all = true;
    while (dirent* entry = all ? readdir(entries) : nullptr) all = see(entry->d_name);
    closedir(entries);
    return all;
}

bool older_run_in(const char* directory, const RunName& run) noexcept {
    return !for_each_entry(directory, [&](const char* name) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", directory, name);
        return !is_loom(name) || !holds_another_run(path, run);
    });
}

// Another user may put something else in the place of either directory meanwhile.
bool move_trace(const char* from, const char* to) noexcept {
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if (mkdir(to, 0777) != 0) return false;
    const int source = open(from, flags), target = open(to, flags);
    const bool is_moved = source >= 0 && target >= 0 && for_each_entry(from, [&](const char* name) {
                              return !is_part_of_trace(name) || renameat(source, name, target, name) == 0;
                          });
    if (source >= 0) close(source);
    if (target >= 0) close(target);
    return is_moved;
}

enum class Message { printed, left_to_others };

// "<directory>.<number>"
struct NumberedPath {
    char text[PATH_MAX + 16];
    NumberedPath(const char* directory, int number) noexcept {
        snprintf(text, sizeof text, "%s.%d", directory, number);
    }
};

int free_number(const char* directory, int number) noexcept {
    struct stat unused;
    while (lstat(NumberedPath(directory, number).text, &unused) == 0) ++number;
    return number;
}

// One that is free wherever a trace is moved: the parts of a run keep one name on all nodes.
int agreed_number(const PrivateComm& leaders, const char* directory, bool takes_part) noexcept {
    int number = 1, is_taken = 0;
    do {
        int own = takes_part ? free_number(directory, number) : 0;
        if (!leaders.any(own, number)) return own;
        if (!leaders.any(takes_part && free_number(directory, number) != number, is_taken)) return own;
    } while (is_taken);
    return number;
}

void move_older_trace(const char* from, const char* to, Message message) noexcept {
    if (!move_trace(from, to))
        not_moved.once(from);
    else if (message == Message::printed)
        moved.once(to);
}

}  // namespace

RunName RunName::given() noexcept {
    RunName run;
    if (const char* given = secure_getenv("OVNI_RUN")) snprintf(run.text, sizeof run.text, "%s", given);
    // The name is part of file names and of JSON as it stands.
    for (char* at = run.text; (at = strpbrk(at, "/\\\"")) != nullptr;) *at = '_';
    return run;
}

RunName RunName::of_job() noexcept {
    RunName run;
    const uint64_t job = job_by_launcher();
    if (job == 0) return run;
    snprintf(run.text, sizeof run.text, "job-%016" PRIx64 ".%.100s", job, chosen_here().text);
    return run;
}

RunName RunName::of_session() noexcept {
    RunName run;
    ovni_private_run_of_session(run.text, sizeof run.text);
    return run;
}

RunName RunName::chosen_here() noexcept {
    RunName run;
    const char* job = nullptr;
    for (const char* variable : batch_jobs)
        if (!job) job = secure_getenv(variable);
    time_t now = time(nullptr);
    tm utc{};
    gmtime_r(&now, &utc);
    char when[32];
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc);
    snprintf(run.text, sizeof run.text, "%.64s%s%s-%d", job ? job : "", job ? "-" : "", when, getpid());
    return run;
}

void move_older_traces(const PrivateComm& leaders, const char* directory, const RunName& run) noexcept {
    char from[PATH_MAX];
    const bool has_one = !is_foreign_link(directory) && realpath(directory, from) && older_run_in(from, run);
    const int me = leaders.rank(), place = leaders.size() - me;
    int first_place = 0, none = 0;
    if (!leaders.any(has_one ? place : 0, first_place) || first_place == 0) return;
    // Times and numbers of files may be equal on disks that have nothing to do with each other.
    FlagFile own(from, run.text, me);
    bool is_first = has_one && own.raise();
    if (has_one && !is_first) not_moved.once(from);
    leaders.any(0, none);
    for (int other = 0; is_first && other < me; ++other)
        is_first = !FlagFile(from, run.text, other).is_seen();
    leaders.any(0, none);
    if (has_one) own.lower();
    const int number = agreed_number(leaders, from, is_first);
    if (is_first)
        move_older_trace(from, NumberedPath(from, number).text,
                         place == first_place ? Message::printed : Message::left_to_others);
    leaders.any(0, none);
}

}  // namespace ovni::mpi
