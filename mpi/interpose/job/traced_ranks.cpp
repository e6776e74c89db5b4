#include "mpi/interpose/job/traced_ranks.hpp"

#include <sys/stat.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/foreign_link.hpp"
#include "core/label_hash.hpp"
#include "core/launcher.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/job/flag_file.hpp"
#include "mpi/interpose/job/is_set.hpp"
#include "mpi/interpose/job/pmi.hpp"
#include "mpi/interpose/job/pmix.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr char announced_key[] = "ovni.traced";

Report ranks_not_traced{"%s not traced: started without ovnirun, or set-user-id, static or in a container"};
Report asserted_in_vain{
    "%s not traced, although --all-traced says that all are: started without ovnirun, or set-user-id, "
    "static or in a container"};
Report not_found{
    "%s not traced, or cannot be found: if they are traced, each part records by itself (ovnirun "
    "--all-traced says "
    "that all are traced)"};

enum class Way : uint8_t { none, pmix, files, asserted };

struct Announcement {
    Way way = Way::none;
    bool are_all_asserted = false;
    Pmix pmix;
    RunName job;
    char directory[PATH_MAX] = {};
};
constinit Announcement announcement;

// The ways that a test leaves out.
bool is_allowed(const char* way) noexcept {
    const char* excluded = secure_getenv("OVNI_TEST_NO_WAY");
    return !excluded || !strstr(excluded, way);
}

bool make_directories(char* path) noexcept {
    for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    struct stat made;
    mkdir(path, 0777);
    return stat(path, &made) == 0 && S_ISDIR(made.st_mode);
}

FlagFile flag_of(int rank) noexcept {
    return {announcement.directory, announcement.job.text, rank};
}

RunName ask_for_job() noexcept {
    RunName name;
    char text[64] = "";
    const uint64_t job = job_by_launcher(Jobs::named);
    if (job == 0 && size_by_launcher() > 1) ask_hydra_for_job(text, sizeof text);
    if (job != 0)
        snprintf(name.text, sizeof name.text, "job-%016" PRIx64, job);
    else if (*text)
        snprintf(name.text, sizeof name.text, "job-%08" PRIx32, label_hash(text));
    return name;
}

bool announce_by_file() noexcept {
    const char* wanted = ovni_private_trace_directory();
    const int rank = rank_by_launcher();
    if (rank < 0 || !announcement.job.text[0] || strlen(wanted) >= sizeof announcement.directory ||
        is_foreign_link(wanted))
        return false;
    strcpy(announcement.directory, wanted);
    return make_directories(announcement.directory) && flag_of(rank).raise();
}

// Its ranks share the trace directory then.
bool is_job_on_this_node() noexcept {
    return size_by_launcher() > 0 && local_size_by_launcher() == size_by_launcher();
}

// A launcher that passes on keys of other nodes only on request has none of them here. So the first rank that
// is missed is asked for, if the user is sure of it, and all others if it is there.
class Lookup {
 public:
    bool finds(int rank) noexcept {
        if (asks_) return announcement.pmix.ask(rank, announced_key, patience);
        if (announcement.pmix.has(rank, announced_key)) return true;
        if (!announcement.are_all_asserted || has_asked_) return false;
        has_asked_ = true;
        return asks_ = announcement.pmix.ask(rank, announced_key, patience);
    }

 private:
    static constexpr int patience = 5;  // s
    bool has_asked_ = false, asks_ = false;
};

bool is_announced(int rank, int own, Lookup& lookup) noexcept {
    switch (announcement.way) {
        case Way::pmix:
            return lookup.finds(rank);
        case Way::files:
            return flag_of(rank).is_seen();
        case Way::asserted:
            return true;
        case Way::none:
            return rank == own;
    }
    return false;
}

// "ranks 1, 3-5 are": those of the world that are not among these, which ascend.
class Others {
 public:
    Others(const int* ranks, int count, int size) noexcept {
        const int missing = size - count;
        add(missing == 1 ? "rank " : "ranks ");
        for (int rank = 0, at = 0; rank < size; ++rank) {
            if (at < count && ranks[at] == rank) {
                ++at;
                continue;
            }
            const int last = (at < count ? ranks[at] : size) - 1;
            if (used_ + room_for_end > sizeof text_) {
                add(", ...");
                break;
            }
            if (!is_first_) add(", ");
            add(rank);
            if (last > rank) add("-"), add(last);
            is_first_ = false;
            rank = last;
        }
        add(missing == 1 ? " is" : " are");
    }
    const char* text() const noexcept { return text_; }

 private:
    void add(const char* text) noexcept {
        used_ += static_cast<size_t>(snprintf(text_ + used_, sizeof text_ - used_, "%s", text));
    }
    void add(int rank) noexcept {
        used_ += static_cast<size_t>(snprintf(text_ + used_, sizeof text_ - used_, "%d", rank));
    }

    static constexpr size_t room_for_end = 40;
    char text_[256];
    size_t used_ = 0;
    bool is_first_ = true;
};

int find_announced(int* ranks, int own, int size) noexcept {
    int count = 0;
    Lookup lookup;
    for (int rank = 0; rank < size; ++rank)
        if (rank == own || is_announced(rank, own, lookup)) ranks[count++] = rank;
    return count;
}

}  // namespace

int size_of_world() noexcept {
    int size = 1;
    OVNI_PMPI(Group_size)(WorldGroup(), &size);
    return size;
}

int rank_in_world() noexcept {
    int rank = 0;
    OVNI_PMPI(Group_rank)(WorldGroup(), &rank);
    return rank;
}

int rank_by_launcher() noexcept {
    return ovni::rank_by_launcher();
}

int size_by_launcher() noexcept {
    return ovni::size_by_launcher();
}

RunName name_of_job() noexcept {
    return announcement.job;
}

void announce_rank() noexcept {
    announcement.job = ask_for_job();
    announcement.are_all_asserted = is_set("OVNI_ALL_TRACED");
    const bool do_files_prove = !announcement.are_all_asserted || is_job_on_this_node();
    if (is_allowed("pmix") && announcement.pmix.open() && announcement.pmix.put(announced_key))
        announcement.way = Way::pmix;
    else if (is_allowed("files") && do_files_prove && announce_by_file())
        announcement.way = Way::files;
    else if (announcement.are_all_asserted)
        announcement.way = Way::asserted;
}

void withdraw_rank() noexcept {
    announcement.pmix.close();
    if (announcement.way == Way::files) flag_of(rank_by_launcher()).lower();
}

TracedRanks find_traced_ranks() noexcept {
    const int size = size_of_world(), own = rank_in_world();
    auto* ranks = static_cast<int*>(malloc(static_cast<size_t>(size) * sizeof(int)));
    int count = ranks ? find_announced(ranks, own, size) : 0;
    const bool are_together = count == size || announcement.way == Way::pmix || announcement.are_all_asserted;
    Report& report = announcement.are_all_asserted ? asserted_in_vain
                     : are_together                ? ranks_not_traced
                                                   : not_found;
    if (count > 0 && count < size && ranks[0] == own) report.once(Others(ranks, count, size).text());
    struct Cleanup {
        int* ranks;
        ~Cleanup() {
            withdraw_rank();
            free(ranks);
        }
    } cleanup{ranks};
    if (has_own_session()) return {PrivateComm::of_own_session(ranks, count), are_together};
    return {count == size ? PrivateComm::of_world() : PrivateComm::of_ranks(ranks, count), are_together};
}

}  // namespace ovni::mpi
