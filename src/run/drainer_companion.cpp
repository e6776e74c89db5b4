#include "run/drainer_companion.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "ring/directories.hpp"
#include "ring/posix_io.hpp"
#include "run/census.hpp"
#include "run/first_rank.hpp"
#include "run/run_directories.hpp"

namespace ovni::run {

namespace {

// False where there are events in it; else it is gone now.
bool remove_if_empty(const std::filesystem::path& run_directory) {
    writer::Session session = writer::Session::open(run_directory.string());
    if (!session.is_valid() || !session.lock()) return true;
    if (!rings_in(session).empty()) return false;
    if (writer::Drainer(session).finish_dead()) session.remove();
    return true;
}

void tell_abandoned() {
    if (!is_first_rank()) return;
    remove_ruins();
    auto count = std::ranges::count_if(run_directories(), [](const std::filesystem::path& directory) {
        return is_abandoned(directory) && !remove_if_empty(directory);
    });
    if (count > 0)
        std::fprintf(stderr,
                     "ovnirun: events of killed programs are left in %td run director%s, see ovnirecover\n",
                     count, count == 1 ? "y" : "ies");
}

writer::OwnerEnd owner_end(const Ending& ending) {
    switch (ending.by) {
        case Ending::By::exit:
            return {writer::RingEnd::exit, ending.code};
        case Ending::By::signal:
            return {writer::RingEnd::signal, ending.code};
        case Ending::By::unknown:
            break;
    }
    return {};
}

}  // namespace

void DrainerCompanion::prepare() noexcept {
    writer::FileSizeSignalHeld held;
    tell_abandoned();
    std::string trace = writer::Roots::from_environment().trace, name = writer::session_name();
    for (uint32_t choice = 0; choice < writer::session_places && !session_.is_valid(); ++choice)
        if (std::string place = writer::session_place(choice, trace); !place.empty())
            session_ = writer::Session::create(place + "/" + name + ".run");
    // Without one, every process drains itself.
    if (session_.is_valid())
        setenv("OVNI_SESSION", session_.directory().c_str(), 1);
    else
        unsetenv("OVNI_SESSION");
}

void DrainerCompanion::start(pid_t program) noexcept {
    program_ = program;
    if (!session_.is_valid() || !session_.claim()) return;
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

void DrainerCompanion::finish(const Ending& ending) noexcept {
    if (!thread_.joinable()) return;
    stop();
    if (!claim()) return;
    drainer_->finish_process(program_, owner_end(ending));
    bool empty = drainer_->finish_dead();
    drainer_->resign();
    if (empty) session_.remove();
}

}  // namespace ovni::run
