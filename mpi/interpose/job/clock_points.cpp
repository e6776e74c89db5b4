#include "mpi/interpose/job/clock_points.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/job/leader_link.hpp"
#include "mpi/sync/measure.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr int64_t ns_per_s = 1'000'000'000;

enum class Extent { both, init, off };

// Sent by rank 0 to the other leaders.
struct Plan {
    Host reference;
    Extent extent = Extent::both;
    int64_t timeout = 0;

    bool includes(Occasion occasion) const noexcept {
        return extent == Extent::both || (extent == Extent::init && occasion != Occasion::finalize);
    }
};

struct Measuring {
    Plan plan;
    MPI_Comm leaders = {};
    int node = 0, nodes = 0;
    int of_program = 0;  // measurements
    // Nodes that did not come to the last measurement of the program; null without memory.
    bool* missing = nullptr;
};

Measuring measuring;
std::atomic<bool> is_prepared{false};

Report not_measured[] = {
    {"clocks in MPI_Init: %s"}, {"clocks in MPI_Pcontrol: %s"}, {"clocks in MPI_Finalize: %s"}};

Extent wanted_extent() noexcept {
    const char* wanted = secure_getenv("OVNI_SYNC");
    if (wanted && strcmp(wanted, "off") == 0) return Extent::off;
    return wanted && strcmp(wanted, "init") == 0 ? Extent::init : Extent::both;
}

// Seconds, with or without decimals, whatever the program's locale; what means nothing is the default.
int64_t wanted_timeout() noexcept {
    constexpr int64_t otherwise = 2 * ns_per_s;
    constexpr int64_t longest = 1'000'000;
    const char* at = secure_getenv("OVNI_SYNC_TIMEOUT");
    if (!at) return otherwise;
    int64_t timeout = 0, unit = ns_per_s;
    for (; *at >= '0' && *at <= '9' && timeout < longest * ns_per_s; ++at)
        timeout = 10 * timeout + (*at - '0') * unit;
    if (*at == '.')
        while (*++at >= '0' && *at <= '9') timeout += (*at - '0') * (unit /= 10);
    return *at == '\0' && timeout > 0 ? timeout : otherwise;
}

int rank_of(int node) noexcept {
    MPI_Group leaders = {};
    int rank = -1;
    OVNI_PMPI(Comm_group)(measuring.leaders, &leaders);
    OVNI_PMPI(Group_translate_ranks)(leaders, 1, &node, WorldGroup(), &rank);
    OVNI_PMPI(Group_free)(&leaders);
    return rank;
}

// There is one measurement in init, and one in finalize.
int occasion_number(Occasion occasion) noexcept {
    return occasion == Occasion::pcontrol ? 2 + measuring.of_program++ : occasion == Occasion::finalize;
}

bool may_take(Occasion occasion) noexcept {
    if (!is_prepared.load(std::memory_order_acquire)) return false;
    int is_main = 1;
    if (occasion == Occasion::pcontrol) OVNI_PMPI(Is_thread_main)(&is_main);
    if (!is_main)
        not_measured[static_cast<size_t>(occasion)].once(
            "level 3 is for the thread that called MPI_Init, and was ignored in another one");
    return is_main && measuring.plan.includes(occasion);
}

void store(const sync::Estimate& estimate) noexcept {
    ovni_private_thread_open();
    ovni_private_clock_point point{estimate.local,
                                   estimate.offset(),
                                   estimate.low,
                                   estimate.high,
                                   estimate.round_trip,
                                   static_cast<uint64_t>(estimate.samples),
                                   measuring.node == 0 ? "reference" : "envelope"};
    ovni_private_add_clock_point(measuring.plan.reference.name, &point);
}

void report_measured(Occasion occasion, const LeaderLink& link,
                     const std::optional<sync::Estimate>& estimate) noexcept {
    char text[256];
    Report& report = not_measured[static_cast<size_t>(occasion)];
    int own_rank = rank_of(measuring.node);
    double seconds = static_cast<double>(measuring.plan.timeout) / ns_per_s;
    if (!estimate && !link.is_dismissed()) {
        snprintf(text, sizeof text, "rank %d got no answer within %g s, its node has no point there",
                 own_rank, seconds);
        report.once(text);
    } else if (estimate && !estimate->is_possible()) {
        snprintf(text, sizeof text, "that of rank %d jumped, its node has no point there", own_rank);
        report.once(text);
    } else if (link.absent() > 0) {
        snprintf(text, sizeof text, "rank %d%s did not answer within %g s, its node has no point there",
                 rank_of(link.first_absent()), link.absent() > 1 ? " (and others)" : "", seconds);
        report.once(text);
    }
}

}  // namespace

bool prepare_clock_points(PrivateComm& leaders, const Host& host) noexcept {
    if (!leaders.valid() || leaders.size() < 2) return false;
    Plan plan{host, wanted_extent(), wanted_timeout()};
    if (!leaders.bcast(reinterpret_cast<char*>(&plan), sizeof plan) || plan.extent == Extent::off)
        return false;
    measuring = {plan, comm_null(), leaders.rank(), leaders.size()};
    measuring.missing = static_cast<bool*>(calloc(static_cast<size_t>(measuring.nodes), sizeof(bool)));
    // Never freed by us: that is collective, and in the end one of them may be missing.
    measuring.leaders = leaders.release();
    is_prepared.store(true, std::memory_order_release);
    return true;
}

void take_clock_point(Occasion occasion) noexcept {
    if (!may_take(occasion)) return;
    int saved = errno;
    LeaderLink link(measuring.leaders, occasion_number(occasion), measuring.plan.timeout,
                    occasion == Occasion::pcontrol ? measuring.missing : nullptr);
    sync::Effort effort;
    effort.patience_ns = link.patience();
    effort.budget_ns = link.budget();
    std::optional<sync::Estimate> estimate =
        sync::Measurement(link, measuring.node, measuring.nodes, effort).run();
    link.note_missing();
    if (estimate) link.dismiss_absent();
    if (estimate && estimate->is_possible()) store(*estimate);
    report_measured(occasion, link, estimate);
    if (occasion == Occasion::finalize) {
        is_prepared.store(false, std::memory_order_release);
        free(measuring.missing);
    }
    errno = saved;
}

}  // namespace ovni::mpi
