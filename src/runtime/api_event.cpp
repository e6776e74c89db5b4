// The C API: events.
#include <algorithm>
#include <cstring>

#include "ovni.h"
#include "ovni/emit.hpp"
#include "ring/diagnostics.hpp"
#include "ring/event.hpp"
#include "runtime/thread.hpp"

using namespace ovni;
using namespace ovni::writer;

static_assert(sizeof(ovni_ev) == OVNI_FORMAT_EVENT_MAX &&
              sizeof(ovni_ev_header) == OVNI_FORMAT_EVENT_HEADER &&
              sizeof(ovni_ev_payload) == OVNI_FORMAT_PAYLOAD_MAX && sizeof(ovni_jumbo_payload) == 5 &&
              sizeof(ovni_stream_header) == OVNI_FORMAT_STREAM_HEADER);

void ovni_ev_set_clock(ovni_ev* ev, uint64_t clock) {
    ev->header.clock = clock;
}

uint64_t ovni_ev_get_clock(const ovni_ev* ev) {
    return ev->header.clock;
}

void ovni_ev_set_mcv(ovni_ev* ev, const char* mcv) {
    memcpy(&ev->header.model, mcv, 3);
}

void ovni_payload_add(ovni_ev* ev, const uint8_t* buf, int size) {
    if (ovni_format_is_jumbo(ev->header.flags)) fatal(__func__, "a jumbo event cannot have another payload");
    if (size < 2) fatal(__func__, "a payload of %d bytes is too small", size);
    int used = ovni_payload_size(ev);
    if (size > OVNI_FORMAT_PAYLOAD_MAX - used)
        fatal(__func__, "%d bytes more do not fit behind %d in a payload", size, used);
    memcpy(ev->payload.u8 + used, buf, static_cast<size_t>(size));
    ev->header.flags = static_cast<uint8_t>((ev->header.flags & 0xf0) |
                                            ovni_format_flags(static_cast<unsigned>(used + size)));
}

int ovni_payload_size(const ovni_ev* ev) {
    if (ovni_format_is_jumbo(ev->header.flags))
        return static_cast<int>(OVNI_FORMAT_JUMBO_SIZE + ev->payload.jumbo.size);
    return static_cast<int>(ovni_format_payload(ev->header.flags));
}

int ovni_ev_size(const ovni_ev* ev) {
    return OVNI_FORMAT_EVENT_HEADER + ovni_payload_size(ev);
}

namespace {

[[gnu::cold, gnu::noinline]] void emit_slowly(const ovni_ev* ev, unsigned size) {
    if (size > sizeof *ev)
        fatal("ovni_ev_emit", "an event of %u bytes goes through ovni_ev_jumbo_emit", size);
    // A second copy of the library uses the stream of the first.
    if (!is_second_copy && !this_thread().stream && !program_stream("ovni_ev_emit")) return lose_event();
    ovni_private_emit(ev, size);
}

// A longer event is lost, and counted.
void emit_nested(Stream& stream, const ovni_ev& ev, const uint8_t* buf, uint32_t bufsize) {
    constexpr size_t header_size = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    uint8_t bytes[OVNI_FORMAT_EVENT_MAX];
    memcpy(bytes, &ev, header_size);
    memcpy(bytes + header_size, buf, std::min<size_t>(bufsize, sizeof bytes - header_size));
    stream.emit_nested(bytes, header_size + bufsize);
}

}  // namespace

void ovni_ev_emit(ovni_ev* ev) {
    ovni_private_window* window = ovni_private_thread_window;
    unsigned flags = ev->header.flags;
    unsigned size = OVNI_FORMAT_EVENT_HEADER + ovni_format_payload(ev->header.flags);
    bool rare = !window || (flags & OVNI_EV_JUMBO);
    EventCode code = EventCode::from_bytes(&ev->header.model);
    if (__builtin_expect(rare, 0) || !detail::begin_emission(*window, code, size, ev->header.clock))
        return emit_slowly(ev, static_cast<unsigned>(ovni_ev_size(ev)));
    if (__builtin_expect(detail::is_looked_at(*window, code), 0) && !ovni_private_pass(window, ev, size))
        return;
    memcpy(window->data + window->head, ev, sizeof *ev);
    detail::end_emission(*window, size, ev->header.clock);
}

void ovni_ev_jumbo_emit(ovni_ev* ev, const uint8_t* buf, uint32_t bufsize) {
    constexpr unsigned header_size = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    Stream* stream = this_thread().stream ? this_thread().stream : program_stream(__func__);
    if (!stream) return lose_event();
    if (ovni_payload_size(ev) != 0) fatal(__func__, "the event already has a payload");
    if (uint64_t{header_size} + bufsize >= OVNI_MAX_EV_BUF)
        fatal(__func__, "an event with %u bytes of data is too large", bufsize);
    ovni_payload_add(ev, reinterpret_cast<const uint8_t*>(&bufsize), sizeof bufsize);
    ev->header.flags |= OVNI_EV_JUMBO;
    Amid interrupted = amid(stream);
    if (!stream->recording().admits(ev, header_size, interrupted)) return;
    Event raised;
    const void* header = stream->recording().after_start(ev, header_size, raised);
    if (stream->emit_shared(header, header_size, buf, bufsize)) return;
    if (interrupted == Amid::an_emission) return emit_nested(*stream, *ev, buf, bufsize);
    stream->emit(header, header_size, buf, bufsize);
}

void ovni_flush() {
    Stream* stream = program_stream(__func__);
    if (!stream) return;
    if (!process().is_ready() && !process().is_inherited()) fatal(__func__, "the process is not ready");
    stream->flush(amid(stream));
}
