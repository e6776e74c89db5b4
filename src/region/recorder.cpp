#include "region/recorder.hpp"

#include <cstdio>

#include "ovni.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "runtime/thread.hpp"

namespace ovni::region::recorder {

void begin() noexcept {
    writer::SlowPath slow;
    writer::gate().begin();
}

writer::Stream* own_stream() noexcept {
    writer::Stream* stream = writer::this_thread().stream;
    return stream && !stream->is_closed() ? stream : nullptr;
}

writer::ChangeOutcome change(writer::Recording to, writer::Stream* only, uint64_t* at) noexcept {
    return writer::gate().change(to, only, at);
}

writer::ChangeOutcome change_after_others(writer::Recording to, writer::Stream* only, uint64_t* at) noexcept {
    return writer::gate().change_after_others(to, only, at);
}

writer::Recording wanted_of(const writer::Stream& stream) noexcept {
    return stream.recording().wanted();
}

writer::Recording state_of_new_streams() noexcept {
    return writer::gate().state();
}

namespace {

void ask_for_all() noexcept {
    writer::streams().visit([](writer::Stream& stream) { stream.ask_for_published(); });
    writer::host().wake();
}

}  // namespace

// Events in the buffer that threads share are moved first.
void flush() noexcept {
    writer::wait_until_moved();
    ask_for_all();
}

bool is_amid() noexcept {
    const writer::Stream* stream = writer::this_thread().stream;
    return stream ? interrupts_emission(stream) : writer::is_inside();
}

uint64_t clock() noexcept {
    return writer::clock_now();
}

void ask_for_kept_events() noexcept {
    if (writer::host().settings().flight > 0) ask_for_all();
}

void mark_thread(uint32_t number) noexcept {
    constexpr int32_t type = 97;
    if (!own_stream()) return;
    char label[32];
    std::snprintf(label, sizeof label, "thread %u", number);
    ovni_private_mark_type(type, OVNI_MARK_PUNCTUAL, "Thread of a threadid event + 1");
    ovni_private_mark_label(type, int64_t{number} + 1, label);
    ovni::emit("OM=", int64_t{number} + 1, type);
}

void expect_thread() noexcept {
    writer::expect_thread();
}

}  // namespace ovni::region::recorder
