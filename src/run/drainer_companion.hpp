// The drainer of a program's events in ovnirun. It makes the run directory that the program's processes find
// in OVNI_SESSION, drains it as long as the program runs, and ends the streams of dead processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "drain/drainer.hpp"
#include "run/companion.hpp"
#include "run/scattered_trace.hpp"

namespace ovni::run {

class DrainerCompanion : public Companion {
 public:
    enum class OlderTrace : uint8_t { moves_away, stays };
    // `is_reported`: it was printed already that nothing of the program is recorded.
    DrainerCompanion(bool is_reported, OlderTrace older, DirectoryOf directory_of)
        : is_reported_(is_reported), older_(older), directory_of_(directory_of) {}

    void prepare() noexcept override;
    void start(pid_t program) noexcept override;
    void pause() noexcept override;
    void resume() noexcept override;
    void take_over() noexcept override;
    void finish(const Ending& ending) noexcept override;

 private:
    bool claim();
    void serve();
    void stop();

    void warn_if_nothing_recorded(const Ending& ending) const;
    void warn_about_unknown_processes() const;

    const bool is_reported_;
    const OlderTrace older_;
    const DirectoryOf directory_of_;
    writer::Session session_;
    std::optional<writer::Drainer> drainer_;
    std::thread thread_;
    std::atomic<uint32_t> stop_{0};
    pid_t program_ = 0;
};

}  // namespace ovni::run
