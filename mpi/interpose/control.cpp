// MPI_Pcontrol and MPI_Abort: the functions that control the tracer.
#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <iterator>

#include "mpi/interpose/base/foreign_string.hpp"
#include "mpi/interpose/calls.hpp"
#include "mpi/interpose/job.hpp"
#include "mpi/interpose/job/clock_points.hpp"
#include "mpi/interpose/library/foreign_library.hpp"
#include "mpi/interpose/library/pmpi.hpp"
#include "mpi/interpose/pcontrol.hpp"
#include "mpi/interpose/streams/markers.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "mpi/interpose/streams/regions.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

using Rule = void (*)(Thread&, const ForeignString& name);

// The meaning of a level, with and without a readable string behind it. A level without a rule is a marker.
struct Level {
    int level;
    Rule with_name;
    Rule alone;
};

void pause(Thread& thread, const ForeignString&) {
    ovni_private_pause(1);
    up_to_date(thread);
}

void resume(Thread& thread, const ForeignString&) {
    ovni_private_pause(0);
    up_to_date(thread);
}

void flush(Thread&, const ForeignString&) {
    ovni_private_flush_all();
}

// If a caller passed one argument only, a string may stand in place of the second, so this resumes as well.
// Clocks are measured with or without a string.
void begin(Thread& thread, const ForeignString& name) {
    resume(thread, name);
    open_region(thread, name.view());
}

void end_region(Thread& thread, const ForeignString& name) {
    close_region(thread, name.view());
}

void measure_clocks(Thread&, const ForeignString&) {
    take_clock_point(Occasion::pcontrol);
}

constexpr Level levels[] = {
    {-1, end_region, nullptr},           {0, pause, pause}, {1, begin, resume}, {2, flush, flush},
    {3, measure_clocks, measure_clocks},
};

// Null for a marker.
const Level* find_level(int level) noexcept {
    const Level* known = std::ranges::find(levels, level, &Level::level);
    return known == std::end(levels) ? nullptr : known;
}

// Does a string behind it make a difference?
bool takes_name(int level) noexcept {
    const Level* known = find_level(level);
    return known && known->with_name != known->alone;
}

bool is_awaited() noexcept {
    return recording.load(std::memory_order_relaxed) && !is_nested() && ovni_private_awaits_pcontrol();
}

}  // namespace

ControlCall::ControlCall(int level, const void* text) noexcept
    : level_(level), is_awaited_(is_awaited()), takes_name_(takes_name(level)) {
    if (!is_awaited_ && !takes_name_) return;
    has_text_ = text_.read(text);
    has_name_ = takes_name_ && has_text_ && text_.is_printable();
}

ControlCall::ControlCall(int level, const void* text, size_t length) noexcept
    : level_(level), is_awaited_(is_awaited()), takes_name_(takes_name(level)) {
    if (!is_awaited_ && !takes_name_) return;
    has_text_ = text_.read(text, length);
    has_name_ = takes_name_ && has_text_ && text_.is_printable();
    if (!has_text_) has_text_ = text_.read(text);
}

void ControlCall::hit() const noexcept {
    if (!is_awaited_ || !has_text_) return;
    int saved = errno;
    open_stream_for_controller();
    ovni_private_hit_pcontrol(level_, text_.text, text_.view().size());
    errno = saved;
}

void ControlCall::obey() const noexcept {
    Thread* thread = this_thread();
    if (!thread) return;
    int saved = errno;
    const Level* known = find_level(level_);
    Rule rule = !known ? nullptr : has_name_ ? known->with_name : known->alone;
    if (rule)
        rule(*thread, has_name_ ? text_ : ForeignString());
    else
        mark_level(*thread, level_);
    errno = saved;
}

}  // namespace ovni::mpi

using namespace ovni::mpi;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Pcontrol(const int level, ...) {
    va_list arguments;
    va_start(arguments, level);
    void* argument = va_arg(arguments, void*);
    // A layer may know what a program passes. All in registers goes on, with what the program did not pass.
    void* w[4];
    double d[4];
    for (void*& word : w) word = va_arg(arguments, void*);
    for (double& number : d) number = va_arg(arguments, double);
    va_end(arguments);
    auto* next_one = next<decltype(MPI_Pcontrol)>(Function::Pcontrol);
    auto real = [&](int given, void* first) {
        return next_one(given, first, w[0], w[1], w[2], w[3], d[0], d[1], d[2], d[3]);
    };
    if (is_foreign_library() || is_of_binding(Function::Pcontrol)) return real(level, argument);
    if (Thread* thread = own_thread; thread && thread->depth != 0)
        end_abandoned(*thread, __builtin_frame_address(0));
    ControlCall control(level, argument);
    control.hit();
    return call(Function::Pcontrol, caller_of_wrapper(), [&] {
        control.obey();
        return real(level, argument);
    });
}

int MPI_Abort(MPI_Comm comm, int errorcode) {
    auto* real = next<decltype(MPI_Abort)>(Function::Abort);
    if (is_foreign_library()) return real(comm, errorcode);
    return call(Function::Abort, caller_of_wrapper(), [&] {
        abort_recording(errorcode);
        return real(comm, errorcode);
    });
}

}  // extern "C"
#pragma GCC visibility pop
