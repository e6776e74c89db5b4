#include "messages/scan/recorded_calls.hpp"

namespace ovni {

namespace {

using Step = RecordedCall::Step;

// The first byte: kind, step and tracing have two bits each.
constexpr unsigned step_shift = 2, tracing_shift = 4;
constexpr uint8_t two_bits = 3, begins_state = 64, has_details = 128;

// All of its numbers, as long as they can be.
constexpr size_t most_bytes_of_call = 2 + 3 + 2 * 5 + 5 * 10;
using Item = PackedItem<most_bytes_of_call>;

bool details_of(const RecordedCall& call) {
    return call.sent != 0 || call.received != 0 || call.communicator != OVNI_MPI_NO_OBJECT ||
           call.target != OVNI_MPI_ANY;
}

}  // namespace

void RecordedCalls::add(const RecordedCall& call) {
    const bool with_details = details_of(call);
    Item item;
    item.byte(static_cast<uint8_t>(
        static_cast<unsigned>(call.kind) | static_cast<unsigned>(call.step) << step_shift |
        static_cast<unsigned>(call.tracing) << tracing_shift | (call.begins_state ? begins_state : 0U) |
        (with_details ? has_details : 0U)));
    item.difference(last_.time, call.time);
    item.difference(static_cast<int64_t>(last_.offset), static_cast<int64_t>(call.offset));
    if (call.begins_state) {
        item.byte(static_cast<uint8_t>(call.state));
        item.difference(call.time, call.state_end);
    }
    if (call.step == Step::enter) item.number(call.function);
    if (with_details) {
        item.number(call.sent);
        item.number(call.received);
        item.number(call.communicator);
        item.difference(OVNI_MPI_ANY, call.target);
    }
    items_.append(item.bytes());
    ++size_;
    last_ = call;
}

bool RecordedCallsReader::next(RecordedCall& call) {
    if (left_ == 0) return false;
    --left_;
    const uint8_t flags = items_.first_byte();
    call = {};
    call.kind = static_cast<EventView::Kind>(flags & two_bits);
    call.step = static_cast<Step>(flags >> step_shift & two_bits);
    call.tracing = static_cast<RecordedCall::Tracing>(flags >> tracing_shift & two_bits);
    call.begins_state = (flags & begins_state) != 0;
    call.time = items_.plus_difference(last_.time);
    call.offset = static_cast<uint64_t>(items_.plus_difference(static_cast<int64_t>(last_.offset)));
    call.state = last_.state;
    if (call.begins_state) {
        call.state = static_cast<ParaverState>(items_.byte());
        call.state_end = items_.plus_difference(call.time);
    }
    if (call.step == Step::enter) entered_ = static_cast<uint16_t>(items_.number());
    if (call.step != Step::none) call.function = entered_;
    if ((flags & has_details) != 0) {
        call.sent = items_.number();
        call.received = items_.number();
        call.communicator = static_cast<uint32_t>(items_.number());
        call.target = static_cast<int32_t>(items_.plus_difference(OVNI_MPI_ANY));
    }
    last_ = call;
    return true;
}

}  // namespace ovni
