#include "messages/scan/open_waits.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "calls/call_reader.hpp"
#include "model/pthread_objects.hpp"
#include "ovni/format.h"

namespace ovni {

namespace {

int32_t number_at(std::span<const uint8_t> payload, size_t place) {
    int32_t number = 0;
    if ((place + 1) * sizeof number <= payload.size())
        std::memcpy(&number, payload.data() + place * sizeof number, sizeof number);
    return number;
}

// The event says whether a lock is taken or given back.
enum class LockStep : uint8_t { none, taken, given };

LockStep step_of(EventCode code, std::span<const uint8_t> payload) {
    const char value = code.value();
    if (value == ']') return number_at(payload, 2) == 0 ? LockStep::taken : LockStep::none;
    const bool worked = number_at(payload, 1) == 0;
    if (value == 'a' || value == 't') return worked ? LockStep::taken : LockStep::none;
    return value == 'u' && worked ? LockStep::given : LockStep::none;
}

// True if only one thread at a time can have such an object.
bool has_holder(char kind) {
    return kind == 'M' || kind == 'W';
}

std::string_view lock_kind(char category) {
    const char text[] = {'H', category, '[', '\0'};
    return pthread_kind(EventCode::from_bytes(reinterpret_cast<const uint8_t*>(text)));
}

}  // namespace

void ProcessWaits::note(char kind, uint32_t object, int tid, int64_t clock) {
    if (!has_holder(kind)) return;
    Holder& holder = holders_[object];
    if (clock >= holder.at) holder = {tid, clock};
}

void ProcessWaits::other(const CallThread& caller, const EventView& event) {
    if (event.code.model() != 'H') return;
    if (event.jumbo()) {
        if (event.code.value() != 'd') return;
        PthreadObject object = pthread_object(event.code, event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
        objects_.try_emplace(object.number, std::move(object.label));
        return;
    }
    std::vector<Wait>& waits = waits_[caller.stream];
    const char kind = event.code.category(), value = event.code.value();
    const auto object = static_cast<uint32_t>(number_at(event.payload(), 0));
    const LockStep step = step_of(event.code, event.payload());
    if (value == '[') {
        waits.push_back({kind, object, std::max(number_at(event.payload(), 1), 0), event.clock});
        if (waits.back().holder > 0) note(kind, object, waits.back().holder, event.clock);
    }
    if (value == ']' && !waits.empty()) waits.pop_back();
    if (step == LockStep::taken) note(kind, object, tids_[caller.stream], event.clock);
    if (step == LockStep::given) note(kind == 'R' ? 'W' : kind, object, 0, event.clock);
}

void ProcessWaits::interrupted(const CallThread& caller, const EventView& event, bool /*is_counted*/) {
    if (event.kind == EventView::Kind::gap_begin) waits_[caller.stream].clear();
}

void ProcessWaits::finished() {
    for (size_t t = 0; t < reader().thread_count(); ++t) {
        const CallThread& caller = reader().thread(t);
        const auto waits = waits_.find(caller.stream);
        if (caller.is_damaged || waits == waits_.end() || waits->second.empty()) continue;
        unended_.push_back({caller.stream, waits->second.back(), caller.until});
    }
}

std::vector<OpenWait> ProcessWaits::open() const {
    std::vector<OpenWait> all;
    for (const Unended& unended : unended_) {
        const Wait& wait = unended.wait;
        OpenWait& open = all.emplace_back();
        open = {unended.stream, std::string(lock_kind(wait.kind)), "", wait.holder, wait.since,
                unended.until};
        const auto label = objects_.find(wait.object);
        if (label != objects_.end()) open.object = label->second;
        const auto holder = holders_.find(wait.object);
        if (has_holder(wait.kind) && holder != holders_.end() && holder->second.tid > 0 &&
            holder->second.at > wait.since)
            open.tid = holder->second.tid;
    }
    return all;
}

}  // namespace ovni
