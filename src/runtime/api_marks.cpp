// The C API: marks.
#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "ring/event.hpp"
#include "runtime/border_follower.hpp"
#include "runtime/marks.hpp"
#include "runtime/thread.hpp"

using namespace ovni;
using namespace ovni::writer;

namespace {

void check_type(const char* function, int32_t type) {
    if (!is_mark_type(type)) fatal(function, "the mark type %d is not between 0 and 99", type);
}

[[gnu::cold]] void emit_counted(const ovni_private_border_follower& follower, EventCode code, int64_t value,
                                int32_t type) {
    follower.read();
    const uint64_t at = stream_now();
    follower.emit(at);
    emit_at(code, at, value, type);
}

void emit_mark(const char* function, EventCode code, int32_t type, int64_t value) {
    if (value == 0) fatal(function, "the value 0 of mark type %d means nothing", type);
    if (!ovni_private_thread_window) {
        program_stream(function);
        return;
    }
    if (const auto* follower = border_follower.load(std::memory_order_relaxed)) [[unlikely]]
        return emit_counted(*follower, code, value, type);
    emit(code, value, type);
}

void check_result(const char* function, MarkResult result, int32_t type) {
    if (result == MarkResult::unknown_type)
        fatal(function, "the mark type %d is not defined in this thread", type);
    if (result == MarkResult::no_object) fatal(function, "ovni.mark is no object any more");
}

}  // namespace

void ovni_mark_type(int32_t type, long flags, const char* title) {
    check_type(__func__, type);
    if (!title || !*title) fatal(__func__, "mark type %d has no title", type);
    constexpr long both = OVNI_MARK_STACK | OVNI_MARK_PUNCTUAL;
    if ((flags & both) == both) fatal(__func__, "mark type %d is a stack and punctual at once", type);
    Stream* stream = program_stream(__func__);
    if (!stream) return;
    if ((flags & OVNI_MARK_PUNCTUAL) != 0) ShownRecording::set_punctual(type);
    MarkResult result = stream->with_metadata(
        [&](Metadata& metadata) { return add_mark_type(metadata, type, flags & both, title); });
    if (result == MarkResult::exists)
        fatal(__func__, "the mark type %d is already defined in this thread", type);
    check_result(__func__, result, type);
}

void ovni_mark_label(int32_t type, int64_t value, const char* label) {
    check_type(__func__, type);
    if (value <= 0) fatal(__func__, "the value %lld of mark type %d is not positive", (long long)value, type);
    if (!label || !*label) fatal(__func__, "value %lld of mark type %d has no label", (long long)value, type);
    Stream* stream = program_stream(__func__);
    if (!stream) return;
    MarkResult result = stream->with_metadata(
        [&](Metadata& metadata) { return add_mark_label(metadata, type, value, label); });
    if (result == MarkResult::exists)
        fatal(__func__, "value %lld of mark type %d already has a label in this thread", (long long)value,
              type);
    check_result(__func__, result, type);
}

void ovni_mark_push(int32_t type, int64_t value) {
    emit_mark(__func__, "OM[", type, value);
}

void ovni_mark_pop(int32_t type, int64_t value) {
    emit_mark(__func__, "OM]", type, value);
}

void ovni_mark_set(int32_t type, int64_t value) {
    emit_mark(__func__, "OM=", type, value);
}
