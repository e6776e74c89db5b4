// Wrappers of calls of GCC's runtime, libgomp. A call is passed on to the real function, and recorded unless
// that runtime reports it through OMPT.
#pragma once

#include <cstdint>

#include "openmp/runtimes.hpp"
#include "openmp/thread.hpp"

namespace ovni::openmp {

template <class Function>
class GompCall;

// A call that is passed on: the real function, and reports before and after it. There may be no real
// function, because a program may call ours after checking that it exists. Then the wrapper behaves as with
// one thread.
template <class Result, class... Arguments>
class GompCall<Result(Arguments...)> {
 public:
    // `caller`: an address in the calling code.
    GompCall(const GompFunction& function, const void* caller) noexcept
        : runtime_(function.runtime(caller)),
          real_(runtime_ ? reinterpret_cast<Real*>(runtime_->function(function)) : nullptr),
          is_recorded_(real_ && runtime_->is_recorded()) {}

    explicit operator bool() const noexcept { return real_ != nullptr; }
    bool is_recorded() const noexcept { return is_recorded_; }
    const Runtime* runtime() const noexcept { return runtime_; }

    // Does nothing if there is no real function.
    Result operator()(Arguments... arguments) const { return real_ ? real_(arguments...) : Result(); }

    void enter(const Entered& construct) const noexcept {
        if (!is_recorded_) return;
        if (Report report; report) report->enter(construct);
    }
    void leave(Family family, uint64_t key) const noexcept {
        if (!is_recorded_) return;
        if (Report report; report) report->leave(family, key);
    }
    // The key of a wait is the number of its State.
    void leave_wait(State state) const noexcept { leave(Family::sync, static_cast<uint64_t>(state)); }

 private:
    using Real = Result(Arguments...);

    const Runtime* runtime_;
    Real* real_;
    bool is_recorded_;
};

constexpr Entered wait_of(State state) {
    return {.state = state, .key = static_cast<uint64_t>(state)};
}

}  // namespace ovni::openmp
