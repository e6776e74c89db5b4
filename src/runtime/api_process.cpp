// The C API: version and process.
#include <cstring>

#include "core/clock.hpp"
#include "core/semver.hpp"
#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "runtime/thread.hpp"
#include "runtime/version.hpp"

using namespace ovni;
using namespace ovni::writer;

namespace {

const Clock system_clock;
std::atomic<ClockPage*> clock_page{nullptr};
std::atomic<int64_t> ahead{0};  // ns

}  // namespace

void ovni::writer::set_clock(ClockPage* page, int64_t time_ahead) {
    ahead.store(time_ahead, std::memory_order_relaxed);
    clock_page.store(page, std::memory_order_release);
}

int64_t ClocksOfSession::monotonic_ns() noexcept {
    return HostClocks::monotonic_ns() + ahead.load(std::memory_order_relaxed);
}

uint64_t ovni::writer::clock_now() {
    return detail::read_thread_clock([]() noexcept {
        ClockPage* page = clock_page.load(std::memory_order_acquire);
        return page ? read_clock(*page, ClocksOfSession{}) : static_cast<uint64_t>(system_clock.now());
    });
}

void ovni_version_check_str(const char* version) {
    if (!version) fatal(__func__, "the version is NULL");
    std::optional<Version> wanted = parse_version(version);
    if (!wanted) fatal(__func__, "cannot understand version '%s'", version);
    if (!compatible(*wanted, *parse_version(OVNI_LIB_VERSION)))
        fatal(__func__, "the program wants libovni %s, but this is libovni %s (%s)", version, library_version,
              library_commit);
}

void ovni_version_get(const char** version, const char** commit) {
    *version = library_version;
    *commit = library_commit;
}

uint64_t ovni_clock_now() {
    return clock_now();
}

void ovni_proc_init(int app, const char* loom, int pid) {
    if (is_inside()) return;
    SlowPath slow;
    process().begin_init(__func__);
    if (!loom) fatal(__func__, "the loom is NULL");
    if (strlen(loom) >= OVNI_MAX_HOSTNAME) fatal(__func__, "the name of the loom is too long: %s", loom);
    withdraw_rows();
    process().finish_init(app, loom, pid);
}

void ovni_proc_set_rank(int rank, int nranks) {
    if (process().is_inherited()) return;
    if (!process().is_ready()) fatal(__func__, "the process is not initialized");
    Stream* stream = program_stream(__func__);
    if (!stream) return;
    SlowPath slow;
    process().set_program_rank();
    stream->with_metadata([&](Metadata& metadata) { metadata.set_rank(rank, nranks); });
}

void ovni_proc_fini() {
    if (process().is_inherited() || is_inside()) return;
    {
        SlowPath slow;
        process().finish(__func__);
    }
    streams().visit([](Stream& stream) { stream.recording().show_running(); });
}

void ovni_add_cpu(int index, int phyid) {
    if (index < 0) fatal(__func__, "the index %d is negative", index);
    if (phyid < 0) fatal(__func__, "the number %d of the CPU is negative", phyid);
    if (process().is_inherited()) return;
    if (!process().is_ready()) fatal(__func__, "the process is not initialized");
    Stream* stream = program_stream(__func__);
    if (!stream) return;
    SlowPath slow;
    process().add_program_cpu({index, phyid});
    stream->with_metadata([&](Metadata& metadata) { metadata.add_cpu({index, phyid}); });
}
