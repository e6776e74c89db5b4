#include "base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/log.hpp"

namespace ovni {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto period = std::chrono::milliseconds(200);
const Clock::time_point start = Clock::now();

}  // namespace

double seconds_since_start() {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Progress::Progress()
    : begin_(Time::now()), last_(begin_), terminal_(log::prints_info() && ::isatty(STDERR_FILENO) == 1) {}

double Progress::seconds() const {
    return std::max(std::chrono::duration<double>(Time::now() - begin_).count(), 1e-9);
}

void Progress::update(uint64_t events, double done) {
    if (!terminal_ || Time::now() - last_ < period) return;
    last_ = Time::now();
    double left = done > 0 ? seconds() * (1 - done) / done : 0;
    const std::string line =
        fmt::format("{:5.1f}% done at {:.0f} kev/s ({} min {:.1f} s left)   \r", done * 100,
                    static_cast<double>(events) / seconds() * 1e-3, static_cast<int>(left / 60),
                    left - 60.0 * static_cast<int>(left / 60));
    std::fputs(line.c_str(), stderr);
}

void Progress::finish(uint64_t events, double done) const {
    log::info("{:5.1f}% done at avg {:.0f} kev/s", done * 100,
              static_cast<double>(events) / seconds() * 1e-3);
    log::info("processed {} input events in {:.2f} s", events, seconds());
}

}  // namespace ovni
