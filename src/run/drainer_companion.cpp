#include "run/drainer_companion.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "base/log.hpp"
#include "core/launcher.hpp"
#include "ring/directories.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_note.hpp"
#include "run/apart.hpp"
#include "run/census.hpp"
#include "run/moved_trace.hpp"
#include "run/older_trace.hpp"
#include "run/other_run.hpp"
#include "run/run_directories.hpp"
#include "run/run_name.hpp"

namespace ovni::run {

namespace {

// Its events are in its stream already. It is unknown here whether processes of another namespace live.
bool is_written(const writer::Ring& ring) {
    const writer::RingHeader& header = ring.header();
    if (header.pid_space != writer::pid_space()) return false;
    const writer::RingProgress& progress = header.progress[header.current.load() % 2];
    return is_empty(header) || (progress.file_end > 0 && progress.drained == header.published.load());
}

bool has_begun(const writer::RingHeader& ring) {
    return ring.progress[ring.current.load() % 2].file_end > 0;
}

// The file is where it was written: it may have been deleted with its trace since.
bool has_its_file(const writer::Session& session, uint32_t number) {
    const writer::Ring ring = writer::Ring::open(session.ring_path(number));
    auto note = writer::StreamNote::read(session.note_path(number));
    if (!ring.is_mapped() || !note || !has_begun(ring.header())) return true;
    note->name_thread(ring.header().tid);
    std::error_code fault;
    return std::filesystem::exists(note->directory() + "/stream.obs", fault);
}

// False if there are events in it that are in no stream. Else nobody need be asked: the streams get their
// ends, and it is gone now unless a process lives on.
bool finish_if_written(const std::filesystem::path& run_directory) {
    writer::Session session = writer::Session::open(run_directory.string());
    if (!session.is_valid() || !session.lock()) return true;
    const std::vector<writer::Ring> rings = rings_in(session);
    if (bytes_in_shared_buffers(session) > 0 || !std::ranges::all_of(rings, is_written)) return false;
    {
        const log::Silence of_other_jobs;
        follow_moved_traces(session);
    }
    for (uint32_t number = 0; number < session.header().rings.load(); ++number)
        if (!has_its_file(session, number)) return false;
    writer::Drainer drainer(session);
    if (drainer.finish_dead()) session.remove();
    return drainer.stuck() == 0;
}

// Other jobs are reported once a day on each node.
bool is_time_to_report(const std::filesystem::path& run_directory) {
    constexpr std::chrono::hours between{24};
    const std::filesystem::path last_report = run_directory.parent_path() / ".told";
    std::error_code fault;
    const auto last = std::filesystem::last_write_time(last_report, fault);
    if (!fault && std::filesystem::file_time_type::clock::now() - last < between) return false;
    const Fd made(::open(last_report.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    ::futimens(made.get(), nullptr);
    return true;
}

void report_abandoned_jobs() {
    if (!is_first_rank()) return;
    remove_ruins();
    std::map<std::string, std::vector<std::filesystem::path>> left;  // by job
    for (const std::filesystem::path& directory : run_directories())
        if (is_abandoned(directory) && !finish_if_written(directory))
            left[name_of_run(directory).job].push_back(directory);
    if (left.empty()) return;
    const auto& [job, directories] = *left.begin();
    if (!is_time_to_report(directories.front())) return;
    const std::string others =
        left.size() == 1 ? ""
                         : fmt::format(" (and of {} more jobs, see ovnirecover --list)", left.size() - 1);
    std::fprintf(stderr,
                 "ovnirun: programs of job %s that have ended left events in memory, %s ago, in %zu run "
                 "director%s, for example %s: ovnirecover --job %s, or --discard --job %s%s\n",
                 job.c_str(), age_of(directories.front()).c_str(), directories.size(),
                 directories.size() == 1 ? "y" : "ies", directories.front().c_str(), job.c_str(), job.c_str(),
                 others.c_str());
}

writer::OwnerEnd owner_end(const Ending& ending, const writer::Session& session) {
    const uint64_t now = writer::event_clock(writer::monotonic_clock(), session.header().time_offset);
    switch (ending.by) {
        case Ending::By::exit:
            return {writer::RingEnd::exit, ending.code, now};
        case Ending::By::signal:
            return {writer::RingEnd::signal, ending.code, now};
        case Ending::By::unknown:
            break;
    }
    return {writer::RingEnd::recovered, 0, now};
}

}  // namespace

void DrainerCompanion::prepare() noexcept {
    writer::FileSizeSignalHeld held;
    report_abandoned_jobs();
    std::string trace = writer::Roots::from_environment().trace, name = writer::session_name();
    for (uint32_t choice = 0; choice < writer::session_places && !session_.is_valid(); ++choice)
        if (std::string place = writer::session_place(choice, trace); !place.empty())
            session_ = writer::Session::create(place + "/" + name + ".run");
    // If there is none, every process drains itself.
    if (session_.is_valid()) write_run_name(session_.header());
    if (session_.is_valid() && is_first_rank_of_node()) warn_of_other_run(trace, session_.header().run);
    if (session_.is_valid() && directory_of_ == DirectoryOf::job) warn_of_scattered_trace(session_, trace);
    // The parts of a job may write already, and inside of a traced program its processes do.
    const bool is_alone = rank_by_launcher() < 0 && !std::getenv("OVNI_SESSION");
    if (session_.is_valid() && is_alone && older_ == OlderTrace::moves_away)
        move_older_trace(trace, session_.header().run);
    if (session_.is_valid())
        setenv("OVNI_SESSION", session_.directory().c_str(), 1);
    else
        unsetenv("OVNI_SESSION");
}

void DrainerCompanion::start(pid_t program) noexcept {
    program_ = program;
    if (!session_.is_valid() || !session_.claim()) return;
    session_.header().program.store(program, std::memory_order_relaxed);
    drainer_.emplace(session_);
    resume();
}

// False where another process drains.
bool DrainerCompanion::claim() {
    if (!session_.lock()) return false;
    if (!session_.is_owned_by_this_process()) {
        writer::EndedStreams ended = drainer_->let_go();
        drainer_.emplace(session_, std::move(ended));
    }
    return session_.claim();
}

void DrainerCompanion::serve() {
    constexpr std::chrono::milliseconds until_others_have_died{20};
    while (!stop_.load(std::memory_order_acquire) && !claim())
        std::this_thread::sleep_for(until_others_have_died);
    drainer_->serve(stop_);
}

void DrainerCompanion::stop() {
    stop_.store(1, std::memory_order_release);
    session_.ring_doorbell();
    thread_.join();
}

void DrainerCompanion::pause() noexcept {
    if (!thread_.joinable()) return;
    stop();
    if (!session_.lock() || !session_.is_owned_by_this_process()) return session_.forget_lock();
    drainer_->resign();
    session_.forget_lock();
}

void DrainerCompanion::resume() noexcept {
    if (!session_.is_valid() || !drainer_) return;
    stop_.store(0, std::memory_order_relaxed);
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::exception&) {
        if (session_.is_owned_by_this_process()) drainer_->resign();
        drainer_.reset();
    }
}

// If the program could not be started, that is reported already. Chains may have kept recording off.
void DrainerCompanion::warn_if_nothing_recorded(const Ending& ending) const {
    constexpr int not_started = 126;
    const bool has_run = ending.by != Ending::By::exit || ending.code < not_started;
    const char* chains = std::getenv("OVNI_CONTROL");
    if (is_reported_ || !has_run || (chains && *chains) || !is_first_rank() ||
        session_.header().openings.load() > 0)
        return;
    std::fputs("ovnirun: no call of MPI or ovni came to the tracing library, so nothing was recorded\n",
               stderr);
}

// Their events stay in memory.
void DrainerCompanion::warn_about_unknown_processes() const {
    if (::access("/proc/self", F_OK) == 0) return;
    if (const size_t processes = drainer_->doubtful())
        std::fprintf(stderr,
                     "ovnirun: without /proc it is unknown whether %zu process%s of the program still run%s: "
                     "ovnirecover %s writes the rest of their events later\n",
                     processes, processes == 1 ? "" : "es", processes == 1 ? "s" : "",
                     session_.directory().c_str());
}

// The host may have been killed while it drained. A program that goes on alone drains itself.
void DrainerCompanion::take_over() noexcept {
    if (!session_.is_valid()) return;
    const pid_t program = session_.header().program.load(std::memory_order_relaxed);
    if (program <= 0 || session_.is_removed()) return;
    if (const Fd end = end_of(program)) await(end);
    writer::Session session = writer::Session::open(session_.directory());
    if (!session.is_valid() || !session.lock()) return;
    writer::Drainer drainer(session);
    drainer.finish_process(program, owner_end(Ending{}, session));
    const bool is_empty = drainer.finish_dead();
    drainer.pass(writer::Patience::none);
    if (is_empty) session.remove();
}

void DrainerCompanion::finish(const Ending& ending) noexcept {
    if (!thread_.joinable()) return;
    stop();
    if (!claim()) return;
    warn_if_nothing_recorded(ending);
    drainer_->finish_process(program_, owner_end(ending, session_));
    bool empty = drainer_->finish_dead();
    warn_about_unknown_processes();
    drainer_->resign();
    if (empty) session_.remove();
}

}  // namespace ovni::run
