#include "region/writer.hpp"

#include <cstdio>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "runtime/thread.hpp"

namespace ovni::region::writer {

void begin() noexcept {
    SlowPath slow;
    gate().begin();
}

Stream* own_stream() noexcept {
    Stream* stream = this_thread().stream;
    return stream && !stream->is_closed() ? stream : nullptr;
}

ChangeOutcome change(Recording to, Stream* only, uint64_t* at) noexcept {
    return gate().change(to, only, at);
}

ChangeOutcome change_after_others(Recording to, Stream* only, uint64_t* at) noexcept {
    return gate().change_after_others(to, only, at);
}

Recording wanted_of(const Stream& stream) noexcept {
    return stream.wanted();
}

Recording state_of_new_streams() noexcept {
    return gate().state();
}

namespace {

void ask_for_all() noexcept {
    streams().visit([](Stream& stream) { stream.ask_for_published(); });
    host().wake();
}

}  // namespace

// What lies in the buffer that threads share is moved first.
void flush() noexcept {
    if (host().shared()) host().wait_until_moved();
    ask_for_all();
}

bool is_amid() noexcept {
    const Stream* stream = this_thread().stream;
    return stream ? interrupts_emission(stream) : is_inside();
}

uint64_t clock() noexcept {
    return clock_now();
}

void ask_for_kept_events() noexcept {
    if (host().settings().flight > 0) ask_for_all();
}

void mark_thread(uint32_t number) noexcept {
    constexpr int32_t type = 97;
    if (!own_stream()) return;
    char label[32];
    std::snprintf(label, sizeof label, "thread %u", number);
    ovni_private_mark_type(type, OVNI_PRIVATE_MARK_PUNCTUAL, "Thread of a threadid event + 1");
    ovni_private_mark_label(type, int64_t{number} + 1, label);
    ovni::emit("OM=", int64_t{number} + 1, type);
}

}  // namespace ovni::region::writer
