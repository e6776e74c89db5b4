// Worksharings of programs that GCC compiled: loops that ask libgomp for chunks, sections, and a single whose
// values are copied. Loops with a static schedule make no call; a plain single makes none at its end.
#include "openmp/gomp_call.hpp"

namespace ovni::openmp {

namespace {

Entered work_of(State state, Construct construct, const void* caller) noexcept {
    return {.state = state, .key = static_cast<uint64_t>(construct), .place = place_of(caller, construct)};
}

template <class Result, class... Arguments>
Result pass_begin(const GompFunction& gomp, State state, Construct construct, const void* caller,
                  Arguments... arguments) {
    const GompCall<Result(Arguments...)> call(gomp, caller);
    if (call.is_recorded()) call.enter(work_of(state, construct, caller));
    return call(arguments...);
}

// The wait for the others is a barrier.
enum class AtEnd : uint8_t { goes_on, waits };

template <class Result>
Result pass_end(const GompFunction& gomp, Construct construct, AtEnd at_end, const void* caller) {
    const GompCall<Result()> call(gomp, caller);
    call.leave(Family::work, static_cast<uint64_t>(construct));
    if (at_end == AtEnd::goes_on) return call();
    call.enter(wait_of(State::barrier_plain));
    struct Left {
        const GompCall<Result()>& call;
        ~Left() { call.leave_wait(State::barrier_plain); }
    } left{call};
    return call();
}

}  // namespace

}  // namespace ovni::openmp

using namespace ovni::openmp;
using Unsigned = unsigned long long;

#pragma GCC visibility push(default)

extern "C" {

#define OVNI_LOOP(name, state)                                                                               \
    bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long* first, long* last) {    \
        OVNI_GOMP_FUNCTION gomp("GOMP_loop_" #name "_start");                                                \
        return pass_begin<bool>(gomp, state, Construct::loop, __builtin_return_address(0), start, end, step, \
                                chunk, first, last);                                                         \
    }                                                                                                        \
    bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned chunk,  \
                                      Unsigned* first, Unsigned* last) {                                     \
        OVNI_GOMP_FUNCTION gomp("GOMP_loop_ull_" #name "_start");                                            \
        return pass_begin<bool>(gomp, state, Construct::loop, __builtin_return_address(0), up, start, end,   \
                                step, chunk, first, last);                                                   \
    }
OVNI_LOOP(static, State::work_static)
OVNI_LOOP(dynamic, State::work_dynamic)
OVNI_LOOP(guided, State::work_dynamic)
OVNI_LOOP(nonmonotonic_dynamic, State::work_dynamic)
OVNI_LOOP(nonmonotonic_guided, State::work_dynamic)
OVNI_LOOP(ordered_static, State::work_static)
OVNI_LOOP(ordered_dynamic, State::work_dynamic)
OVNI_LOOP(ordered_guided, State::work_dynamic)

#define OVNI_LOOP_BY_VARIABLE(name)                                                                          \
    bool GOMP_loop_##name##_start(long start, long end, long step, long* first, long* last) {                \
        OVNI_GOMP_FUNCTION gomp("GOMP_loop_" #name "_start");                                                \
        return pass_begin<bool>(gomp, State::work_loop, Construct::loop, __builtin_return_address(0), start, \
                                end, step, first, last);                                                     \
    }                                                                                                        \
    bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned* first, \
                                      Unsigned* last) {                                                      \
        OVNI_GOMP_FUNCTION gomp("GOMP_loop_ull_" #name "_start");                                            \
        return pass_begin<bool>(gomp, State::work_loop, Construct::loop, __builtin_return_address(0), up,    \
                                start, end, step, first, last);                                              \
    }
OVNI_LOOP_BY_VARIABLE(runtime)
OVNI_LOOP_BY_VARIABLE(nonmonotonic_runtime)
OVNI_LOOP_BY_VARIABLE(maybe_nonmonotonic_runtime)
OVNI_LOOP_BY_VARIABLE(ordered_runtime)

#define OVNI_LOOP_WITH_SCHEDULE(name)                                                                        \
    bool GOMP_##name(long start, long end, long step, long schedule, long chunk, long* first, long* last,    \
                     uintptr_t* reductions, void** memory) {                                                 \
        OVNI_GOMP_FUNCTION gomp("GOMP_" #name);                                                              \
        return pass_begin<bool>(gomp, State::work_loop, Construct::loop, __builtin_return_address(0), start, \
                                end, step, schedule, chunk, first, last, reductions, memory);                \
    }
OVNI_LOOP_WITH_SCHEDULE(loop_start)
OVNI_LOOP_WITH_SCHEDULE(loop_ordered_start)

void GOMP_loop_end() {
    OVNI_GOMP_FUNCTION gomp("GOMP_loop_end");
    pass_end<void>(gomp, Construct::loop, AtEnd::waits, __builtin_return_address(0));
}
bool GOMP_loop_end_cancel() {
    OVNI_GOMP_FUNCTION gomp("GOMP_loop_end_cancel");
    return pass_end<bool>(gomp, Construct::loop, AtEnd::waits, __builtin_return_address(0));
}
void GOMP_loop_end_nowait() {
    OVNI_GOMP_FUNCTION gomp("GOMP_loop_end_nowait");
    pass_end<void>(gomp, Construct::loop, AtEnd::goes_on, __builtin_return_address(0));
}

unsigned GOMP_sections_start(unsigned count) {
    OVNI_GOMP_FUNCTION gomp("GOMP_sections_start");
    return pass_begin<unsigned>(gomp, State::work_sections, Construct::sections, __builtin_return_address(0),
                                count);
}
unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
    OVNI_GOMP_FUNCTION gomp("GOMP_sections2_start");
    return pass_begin<unsigned>(gomp, State::work_sections, Construct::sections, __builtin_return_address(0),
                                count, reductions, memory);
}
void GOMP_sections_end() {
    OVNI_GOMP_FUNCTION gomp("GOMP_sections_end");
    pass_end<void>(gomp, Construct::sections, AtEnd::waits, __builtin_return_address(0));
}
bool GOMP_sections_end_cancel() {
    OVNI_GOMP_FUNCTION gomp("GOMP_sections_end_cancel");
    return pass_end<bool>(gomp, Construct::sections, AtEnd::waits, __builtin_return_address(0));
}
void GOMP_sections_end_nowait() {
    OVNI_GOMP_FUNCTION gomp("GOMP_sections_end_nowait");
    pass_end<void>(gomp, Construct::sections, AtEnd::goes_on, __builtin_return_address(0));
}

// Null for the thread that does the work.
void* GOMP_single_copy_start() {
    OVNI_GOMP_FUNCTION gomp("GOMP_single_copy_start");
    const void* caller = __builtin_return_address(0);
    const GompCall<void*()> call(gomp, caller);
    void* copied = call();
    if (!copied && call.is_recorded()) call.enter(work_of(State::work_single, Construct::single, caller));
    return copied;
}
void GOMP_single_copy_end(void* data) {
    OVNI_GOMP_FUNCTION gomp("GOMP_single_copy_end");
    const GompCall<void(void*)> call(gomp, __builtin_return_address(0));
    call.leave(Family::work, static_cast<uint64_t>(Construct::single));
    call.enter(wait_of(State::barrier_plain));
    call(data);
    call.leave_wait(State::barrier_plain);
}

}  // extern "C"

#pragma GCC visibility pop
