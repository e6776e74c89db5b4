// The steps of a call in its wrapper. Only a call by the program itself is recorded, not the calls that MPI
// makes inside it: a Fortran routine may call the C function, and that may call another one.
//
// If a callback throws an exception out of a call, the call ends then: wrappers are compiled with unwind
// tables. A longjmp() out of it ends it as well (jumps.cpp). After a jump that is not seen, calls may be
// missing until the program calls MPI from the frame of the abandoned call or from an outer one. This is
// detected only on the stack that the thread was started with.
#pragma once

#include <atomic>
#include <type_traits>

#include "functions.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/border.hpp"
#include "mpi/interpose/job.hpp"
#include "mpi/interpose/job/traced_ranks.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/foreign_library.hpp"
#include "mpi/interpose/library/imports.hpp"
#include "mpi/interpose/library/own_session.hpp"
#include "mpi/interpose/records/details.hpp"
#include "mpi/interpose/records/frequent.hpp"
#include "mpi/interpose/sites/agreement.hpp"
#include "mpi/interpose/sites/sites.hpp"
#include "mpi/interpose/streams/caller.hpp"
#include "mpi/interpose/streams/counted.hpp"
#include "mpi/interpose/streams/keep_errno.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "mpi/interpose/streams/regions.hpp"
#include "mpi/interpose/streams/selection.hpp"

namespace ovni::mpi {

// True if the wrapper changes the arguments of the call, recorded or not.
inline bool is_changed(Function) noexcept {
    return recording.load(std::memory_order_relaxed);
}

template <class Result>
constexpr int error_of(Result) {
    return MPI_SUCCESS;
}
constexpr int error_of(int result) {
    return result;
}

// True for the C call that a Fortran routine makes, which is part of the routine's call. Ask once: the answer
// is then false.
inline bool is_of_binding(Function function) noexcept {
    if (!bindings_call_c || !own_thread || own_thread->binding != function) return false;
    own_thread->binding = Function::none;
    return true;
}

// The call of a Fortran routine of the MPI library is in progress.
class BindingCall {
 public:
    explicit BindingCall(Function function) noexcept {
        if (bindings_call_c && this_thread()) own_thread->binding = function;
    }
    ~BindingCall() {
        if (bindings_call_c && own_thread) own_thread->binding = Function::none;
    }
    BindingCall(const BindingCall&) = delete;
    BindingCall& operator=(const BindingCall&) = delete;
};

// Ends the call in progress if `frame` is outside of it: after an unseen jump out of a callback, or before a
// jump.
void end_abandoned(Thread& thread, const void* frame) noexcept;

class Call {
 public:
    [[gnu::always_inline]] Call(Function function, Caller caller) noexcept
        : thread_(this_thread()), function_(function), selection_(selection_of(function)) {
        if (!thread_) [[unlikely]]
            return;
        if (thread_->depth != 0) [[unlikely]]
            end_abandoned(*thread_, caller.frame);
        depth_ = thread_->depth++;
        if (depth_ == 0) thread_->outermost = caller.frame, thread_->caller = caller.address;
    }
    [[gnu::always_inline]] ~Call() {
        if (!thread_) [[unlikely]]
            return;
        thread_->depth = depth_;
        if (depth_ == 0 && !left_) leave_plainly();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    bool is_outermost() const noexcept { return thread_ && depth_ == 0; }
    // True if this is the outermost call and is at most recorded.
    bool is_usual() const noexcept { return thread_ && (depth_ | (selection_ & at_sites)) == 0; }

    template <class Details>
    void enter(Details& details) noexcept {
        KeepErrno keep(*thread_);
        if (selection_ & awaited) [[unlikely]]
            hit_call(function_);
        Moment moment = begin_enter(*thread_, function_, is_recorded());
        if (selection_ & counted) [[unlikely]]
            count_enter(moment);
        record_enter(moment, details);
        if (selection_ & awaited_slow) [[unlikely]]
            thread_->entered_at = ovni::stream_now();
    }
    template <class Details>
    void leave(Details& details, int error) noexcept {
        KeepErrno keep(*thread_);
        const bool agrees = ends_in_world(details, error);
        const uint64_t agreed = agrees ? await_agreement() : 0;
        {
            SlowSite slow(*thread_, function_, selection_);
            if (selection_ & counted) [[unlikely]]
                read_counters();
            Moment moment = begin_leave(*thread_, function_, is_recorded());
            if ((selection_ & counted) && moment.recorded) [[unlikely]]
                emit_counters(moment.at);
            record_leave(moment, details, error);
        }
        if (agrees) [[unlikely]]
            agree_on_recording(agreed);
    }
    // A call from a callback inside another call is not recorded, but objects and requests that it makes or
    // ends must be known later.
    template <class Details, class Real>
    [[gnu::noinline]] auto follow(Details& details, Real real) {
        if (!thread_ || is_of_binding(function_)) return real();
        Moment moment{*thread_, function_, false, 0};
        if (has_details()) {
            KeepErrno keep(*thread_);
            details.enter(moment);
            if constexpr (requires { details.entered(moment); }) details.entered(moment);
        }
        auto result = real();
        KeepErrno keep(*thread_);
        if (has_details()) end_details(moment, details, error_of(result));
        if (ends_in_world(details, error_of(result))) agree_on_recording(await_agreement());
        return result;
    }
    // enter() and leave() inline, for a function that the compiler knows.
    template <class Details>
    [[gnu::always_inline]] void enter_here(Function function, Details& details) noexcept {
        KeepErrno keep(*thread_);
        Moment moment = begin_enter_here(*thread_, function, is_recorded());
        record_enter(moment, details);
    }
    template <class Details>
    [[gnu::always_inline]] void leave_here(Function function, Details& details, int error) noexcept {
        KeepErrno keep(*thread_);
        Moment moment = begin_leave_here(*thread_, function, is_recorded());
        record_leave(moment, details, error);
    }

 private:
    bool is_recorded() const noexcept { return (selection_ & recorded) != 0; }
    bool has_details() const noexcept { return (selection_ & with_details) != 0; }

    // True for a collective at which ranks agree on recording.
    template <class Details>
    bool ends_in_world(const Details& details, int error) const noexcept {
        if constexpr (std::is_same_v<Details, Collective>)
            if (selection_ & agrees_in_world) [[unlikely]]
                return details.is_blocking_on_world() && has_taken_place(error);
        return false;
    }

    template <class Details>
    static void end_details(Moment& moment, Details& details, int error) noexcept {
        if (error == MPI_SUCCESS)
            details.leave(moment);
        else if constexpr (requires { details.fail(moment, error); })
            details.fail(moment, error);
    }

    template <class Details>
    [[gnu::always_inline]] void record_enter(Moment& moment, Details& details) noexcept {
        if (!has_details()) return end_enter(moment, Payload(function_));
        end_enter(moment, details.enter(moment));
        if constexpr (requires { details.entered(moment); }) details.entered(moment);
    }
    template <class Details>
    [[gnu::always_inline]] void record_leave(Moment& moment, Details& details, int error) noexcept {
        left_ = true;
        if (!has_details() || error != MPI_SUCCESS) {
            if constexpr (requires { details.fail(moment, error); })
                if (has_details()) details.fail(moment, error);
            return end_leave(moment, Payload(function_));
        }
        end_leave(moment, details.leave(moment));
        if constexpr (requires { details.miss(moment); })
            if (!is_whole(moment)) [[unlikely]]
                if (counts(moment)) details.miss(moment);
    }

    // Ends the call if an exception of the program passes.
    void leave_plainly() noexcept;

    Thread* thread_;
    Function function_;
    uint8_t selection_;
    bool left_ = false;
    uint32_t depth_ = 0;  // calls around this one
};

template <class Details, class Real>
[[gnu::noinline]] auto record(Call& call, Details& details, Real real) {
    if (!call.is_outermost()) [[unlikely]]
        return call.follow(details, real);
    call.enter(details);
    auto result = real();
    call.leave(details, error_of(result));
    return result;
}

template <class Details, class Real>
auto record(Function function, Caller caller, Details& details, Real real) {
    Call call(function, caller);
    return record(call, details, real);
}

// record() inline in the wrapper.
template <class Details, class Real>
[[gnu::always_inline]] inline auto record_here(Function function, Caller caller, Details& details,
                                               Real real) {
    Call call(function, caller);
    if (!call.is_usual()) [[unlikely]]
        return record(call, details, real);
    call.enter_here(function, details);
    auto result = real();
    call.leave_here(function, details, error_of(result));
    return result;
}

template <class Real>
auto call(Function function, Caller caller, Real real) {
    if (!is_looked_at(function)) return real();
    Plain details;
    return record(function, caller, details, real);
}

// True inside an MPI call: the caller is MPI or a callback.
inline bool is_nested() noexcept {
    return own_thread && own_thread->depth != 0;
}

// The number of uses of MPI that the program has begun and not ended, by MPI_Init and by sessions.
inline std::atomic<int> uses_of_mpi{0};

// `introduce` is called after the first use begins, `join` after each later one.
template <class Real, class Introduce, class Join>
int begin_use(Function function, Caller caller, Real real, Introduce introduce, Join join) {
    if (is_nested() || is_foreign_job()) return real();
    bind_imports();
    const bool is_first = uses_of_mpi.fetch_add(1) <= 0;
    if (is_first) {
        start_recording();
        introduce_provisionally();
    }
    return call(function, caller, [&] {
        if (is_first) announce_rank(), begin_above_border();
        const int result = real();
        const bool is_introduced = is_first && is_introduced_at_border();
        if (result != MPI_SUCCESS) {
            --uses_of_mpi;
            if (is_first) withdraw_rank();
        } else if (is_first) {
            if (!is_introduced) introduce();
        } else {
            join();
        }
        return result;
    });
}

template <class Real>
int init(Function function, Caller caller, Real real) {
    return begin_use(function, caller, real, introduce_process, add_world);
}

template <class Real>
int session_init(Function function, Caller caller, Real real) {
    auto introduce = [] {
        if (open_own_session())
            introduce_process();
        else
            withdraw_rank();
    };
    return begin_use(function, caller, real, introduce, [] {});
}

enum class Parting : uint8_t { here, at_border };

// MPI_Finalize, and MPI_Session_finalize.
template <class Real>
int finalize(Function function, Caller caller, Real real, Parting parting = Parting::here) {
    if (is_foreign_library()) return real();
    if (is_nested() && own_thread->program.function == function) return real();
    if (uses_of_mpi.fetch_sub(1) > 1) return call(function, caller, real);
    if (Thread* thread = this_thread()) {
        // A call that was left by longjmp or an exception ends here at the latest.
        thread->depth = 0;
        close_all_regions(*thread);
        record_last_account(*thread, function);
    }
    Finalization details;
    if (!is_selected(function)) details.record_unrecorded(function);
    auto part_and_finalize = [&] {
        if (parting == Parting::here) part_from_ranks();
        return real();
    };
    int result =
        is_looked_at(function) ? record(function, caller, details, part_and_finalize) : part_and_finalize();
    finish_recording();
    return result;
}

// MPI_Finalize of C, which may lead to a layer.
template <class Real>
int finalize_world(Function function, Caller caller, Real real) {
    return finalize(function, caller, real, await_border() ? Parting::at_border : Parting::here);
}

}  // namespace ovni::mpi
