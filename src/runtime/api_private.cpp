// The API for the project's own libraries (ovni/private.h), and the slow path of ovni/emit.hpp.
#include <sys/syscall.h>
#include <unistd.h>

#include <span>
#include <string>

#include "core/semver.hpp"
#include "ovni.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "ring/diagnostics.hpp"
#include "runtime/border_follower.hpp"
#include "runtime/marks.hpp"
#include "runtime/memory.hpp"
#include "runtime/thread.hpp"

#pragma GCC visibility push(default)

using namespace ovni;
using namespace ovni::writer;

namespace {

Stream* open_stream_here() {
    if (is_inside() || memory_is_short()) return nullptr;
    return this_thread().stream && !this_thread().stream->is_closed() ? this_thread().stream : nullptr;
}

int open_ours() {
    if (this_thread().phase == ThreadPhase::unrecorded) lose_event();
    if (is_inside() || this_thread().phase != ThreadPhase::fresh || process().is_inherited() ||
        process().state() == ProcessState::gone)
        return 0;
    SlowPath slow;
    if (!memory_is_short()) process().prepare();
    Stream* stream =
        open_stream(static_cast<pid_t>(syscall(SYS_gettid)), Owner::ours, slow, row_with_events());
    return stream && stream->recording().is_recorded() ? 1 : 0;
}

// The text has at most 511 bytes, and is cut between characters.
std::string short_label(const char* label) {
    constexpr size_t most = 511;
    std::string text(label);
    if (text.size() <= most) return text;
    size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end);
}

// Waits only between the visits, so that other threads may begin and end.
void flush_published() {
    constexpr int most_waits = 1000;
    streams().visit([](Stream& stream) { stream.ask_for_published(); });
    uint64_t waiting = UINT64_MAX;
    for (int waits = 0; waits < most_waits; ++waits) {
        uint64_t before = waiting;
        waiting = 0;
        streams().visit([&](Stream& stream) { waiting += stream.asked_and_not_written(); });
        if (waiting == 0) return;
        if (waiting < before) waits = 0;
        SlowPath slow;
        host().wait_a_moment();
    }
}

// A jumbo event is its head, whose clock can be raised, and its data.
void emit_admitted(Stream& stream, const void* whole, uint32_t size) {
    constexpr uint32_t jumbo_head = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    Event raised;
    const uint32_t head = size > sizeof raised.bytes ? jumbo_head : size;
    const void* data = size > head ? static_cast<const uint8_t*>(whole) + head : nullptr;
    const void* event = stream.recording().after_start(whole, head, raised);
    if (stream.emit_shared(event, head, data, size - head)) return;
    if (interrupts_emission(&stream)) return stream.emit_nested(head == size ? event : whole, size);
    stream.emit(event, head, data, size - head);
    stream.recording().open_states_due();
}

}  // namespace

void ovni_private_emit(const void* event, uint32_t size) {
    Stream* own = this_thread().stream;
    Stream* stream = own || !process().is_inherited() ? own : inherited_stream();
    if (!stream) return lose_event();
    if (stream->recording().admits(event, size, amid(stream))) emit_admitted(*stream, event, size);
}

void ovni_private_emit_passed(const void* event, uint32_t size) {
    if (Stream* stream = this_thread().stream) emit_admitted(*stream, event, size);
}

int ovni_private_pass(ovni_private_window* window, const void* event, uint32_t size) {
    Stream* stream = Stream::of(window);
    return stream ? stream->recording().pass(event, size)
                  : 1;  // null: an emission of the parent ends in its fork's child
}

// A handler that interrupted an emission may have interrupted this function as well, so it keeps nothing.
// While a reading keeps a segment, the thread is busy as in an emission, so that no handler begins one.
uint64_t ovni_private_clock_at(ovni_private_window* window, uint64_t ticks, uint32_t is_emitting) {
    ClockPage* page = window->clock;
    if (!page) return clock_now();
    const bool is_older = window->segment.index != __atomic_load_n(&page->index, __ATOMIC_ACQUIRE);
    const bool begins = is_older && is_emitting == 0 && window->busy == 0;
    if (begins) {
        detail::set_busy(*window, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
        detail::handler_fence();
    }
    if (begins || (is_older && is_emitting != 0))
        detail::keep_guess(window->segment, detail::guess_segment(*page));
    if (begins) detail::leave_emission(*window);
    return detail::read_clock_slowly(*page, ticks, ClocksOfSession{});
}

int ovni_private_abandoned(struct ovni_private_window* window, uintptr_t frame) {
    Stream* stream = this_thread().stream;
    if (!stream || stream->window() != window || !stream->was_left(frame)) return 0;
    window->busy = 0;
    return 1;
}

void ovni_private_identify(const ovni_private_identity* identity) {
    if (is_inside()) return;
    {
        SlowPath slow;
        process().identify(*identity);
    }
    streams().visit([](Stream& stream) { stream.follow_identity(); });
    if (!identity->is_provisional) close_held(0);
}

int ovni_private_thread_open() {
    Stream* stream = this_thread().stream;
    if (__builtin_expect(!stream, 0)) return open_ours();
    if (!is_inside() && !interrupts_emission(stream)) stream->recording().show_changes();
    return stream->recording().is_recorded() && process().state() != ProcessState::gone;
}

int ovni_private_thread_defines() {
    const Stream* stream = this_thread().stream;
    return stream && stream->runs() && process().state() != ProcessState::gone;
}

uint32_t ovni_private_fork_depth() {
    return fork_depth();
}

int ovni_private_process_is_ours() {
    return process().state() == ProcessState::uninit;
}

int ovni_private_thread_is_ours() {
    const Stream* stream = this_thread().stream;
    return stream && stream->is_ours() && !stream->is_closed();
}

void ovni_private_move_to_cpu(int phyid) {
    Stream* stream = open_stream_here();
    if (stream && stream->is_ours()) stream->move_to_cpu(phyid, amid(stream));
}

void ovni_private_require(const char* model, const char* version) {
    Stream* stream = open_stream_here();
    if (!stream || !model || !version) return;
    SlowPath slow;
    std::string key = std::string("ovni.require.") + model;
    stream->with_metadata([&](Metadata& metadata) {
        const Json* before = metadata.find(key.c_str());
        const auto* text = before ? before->get_ptr<const std::string*>() : nullptr;
        auto old = text ? parse_version(*text) : std::nullopt;
        auto wanted = parse_version(version);
        // The program, or an earlier call, may ask for more already.
        if (old && wanted && compatible(*wanted, *old)) return;
        metadata.set(key.c_str(), version);
    });
}

void ovni_private_describe(const ovni_private_attribute* attributes, size_t count) {
    Stream* stream = open_stream_here();
    if (!stream) return;
    SlowPath slow;
    stream->with_metadata([&](Metadata& metadata) {
        for (const ovni_private_attribute& attribute : std::span(attributes, count))
            if (!metadata.find(attribute.path)) metadata.set(attribute.path, attribute.text);
    });
}

void ovni_private_follow_borders(const ovni_private_border_follower* follower) {
    border_follower.store(follower, std::memory_order_relaxed);
}

const ovni_private_border_follower* ovni_private_borders() {
    return border_follower.load(std::memory_order_relaxed);
}

void ovni_private_name_counters(const char* const* names, size_t count) {
    Stream* stream = open_stream_here();
    if (!stream) return;
    SlowPath slow;
    Json list = Json::array();
    for (size_t i = 0; i < count; ++i) list.push_back(names[i]);
    stream->with_metadata([&](Metadata& metadata) { metadata.set("ovni.counters", std::move(list)); });
}

void ovni_private_mark_type(int32_t type, long flags, const char* title) {
    Stream* stream = open_stream_here();
    if (!stream || !is_mark_type(type) || !title || !*title) return;
    SlowPath slow;
    std::string text = short_label(title);
    if ((flags & OVNI_MARK_PUNCTUAL) != 0) ShownRecording::set_punctual(type);
    stream->with_metadata([&](Metadata& metadata) { add_mark_type(metadata, type, flags, text.c_str()); });
}

void ovni_private_mark_label(int32_t type, int64_t value, const char* label) {
    Stream* stream = open_stream_here();
    if (!stream || !is_mark_type(type) || value <= 0 || !label || !*label) return;
    SlowPath slow;
    std::string text = short_label(label);
    stream->with_metadata([&](Metadata& metadata) { add_mark_label(metadata, type, value, text.c_str()); });
}

void ovni_private_add_clock_point(const char* reference, const ovni_private_clock_point* point) {
    Stream* stream = open_stream_here();
    if (!stream || !reference || !point || !point->method) return;
    stream->with_metadata([&](Metadata& metadata) { metadata.add_clock_point(reference, *point); });
}

void ovni_private_gap(uint64_t from, uint64_t to, uint64_t lost, const char* reason) {
    Stream* stream = open_stream_here();
    if (!stream) return;
    Amid interrupted = amid(stream);
    SlowPath slow;
    stream->note_gap({0, from, to, lost, reason ? reason : "paused"}, interrupted);
}

// Events in the buffer that threads share are moved first.
void ovni_private_flush_all() {
    if (is_inside()) return;
    {
        SlowPath slow;
        wait_until_moved();
    }
    flush_published();
}

void ovni_private_close_all(const char* by, int code) {
    if (is_inside()) return;
    StreamEnd end{by, by && strcmp(by, "exit") == 0 ? exit_code_of(code) : code};
    if (!by) process().leave_mpi();
    streams().visit([&](Stream& stream) {
        if (by || !stream.has_row()) stream.close_ours(by ? &end : nullptr);
    });
    streams().visit([](Stream& stream) { stream.wait_until_written(); });
}

void ovni_private_print(const char* text, size_t size) {
    print(text, size);
}

void ovni_private_run_of_session(char* name, size_t size) {
    *name = '\0';
    if (is_inside()) return;
    SlowPath slow;
    process().copy_run_of_session({name, size});
}

const char* ovni_private_trace_directory() {
    if (is_inside()) return "";
    SlowPath slow;
    return process().trace_directory();
}

#pragma GCC visibility pop
