#include "messages/stuck/open_waits.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "model/pthread_objects.hpp"
#include "ovni/pthread_events.h"

namespace ovni {

namespace {

bool has_waits(const Stream& stream) {
    return stream.metadata.common->require.contains(OVNI_PTHREAD_MODEL);
}

int32_t number_at(std::span<const uint8_t> payload, size_t place) {
    int32_t number = 0;
    if ((place + 1) * sizeof number <= payload.size())
        std::memcpy(&number, payload.data() + place * sizeof number, sizeof number);
    return number;
}

// The event says whether a lock is taken or given back.
enum class Step : uint8_t { none, taken, given };

Step step_of(EventCode code, std::span<const uint8_t> payload) {
    const char value = code.value();
    if (value == ']') return number_at(payload, 2) == 0 ? Step::taken : Step::none;
    const bool worked = number_at(payload, 1) == 0;
    if (value == 'a' || value == 't') return worked ? Step::taken : Step::none;
    return value == 'u' && worked ? Step::given : Step::none;
}

// One thread at a time has these.
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

void ProcessWaits::read(uint32_t stream, int tid, StreamReader& reader) {
    std::vector<Wait> waits;
    int64_t clock = 0;
    while (reader.next()) {
        const EventView& event = reader.event();
        clock = event.clock;
        if (event.kind == EventView::Kind::gap_begin) waits.clear();
        if (event.kind != EventView::Kind::event || event.code.model() != 'H') continue;
        if (event.jumbo()) {
            if (event.code.value() != 'd') continue;
            PthreadObject object =
                pthread_object(event.code, event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
            objects_.try_emplace(object.number, std::move(object.label));
            continue;
        }
        const char kind = event.code.category(), value = event.code.value();
        const auto object = static_cast<uint32_t>(number_at(event.payload(), 0));
        const Step step = step_of(event.code, event.payload());
        if (value == '[') {
            waits.push_back({kind, object, std::max(number_at(event.payload(), 1), 0), clock});
            if (waits.back().holder > 0) note(kind, object, waits.back().holder, clock);
        }
        if (value == ']' && !waits.empty()) waits.pop_back();
        if (step == Step::taken) note(kind, object, tid, clock);
        if (step == Step::given) note(kind == 'R' ? 'W' : kind, object, 0, clock);
    }
    if (!waits.empty()) unended_.push_back({stream, waits.back(), clock});
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

bool may_have_open_waits(const Trace& trace) {
    return std::ranges::any_of(trace.streams(),
                               [](const Stream& stream) { return stream.metadata.end && has_waits(stream); });
}

std::vector<OpenWait> open_waits(const Trace& trace, const System& system, const std::vector<bool>& mine,
                                 const OpenStream& open, std::set<std::string>& damages) {
    std::vector<OpenWait> all;
    for (size_t p = 0; p < system.processes().size(); ++p) {
        if (!mine[p]) continue;
        const ProcessInfo& process = system.processes()[p];
        ProcessWaits waits;
        for (uint32_t t = 0; t < process.thread_count; ++t) {
            const ThreadInfo& thread = system.threads()[process.first_thread + t];
            const Stream& stream = trace.streams()[thread.stream];
            if (!stream.is_readable() || !has_waits(stream)) continue;
            try {
                StreamReader reader = open(thread.stream);
                waits.read(thread.stream, thread.tid, reader);
            } catch (const Error& e) {
                damages.insert(e.what());
            }
        }
        for (OpenWait& wait : waits.open())
            if (trace.streams()[wait.stream].metadata.end) all.push_back(std::move(wait));
    }
    std::ranges::sort(all, {}, &OpenWait::stream);
    return all;
}

std::vector<std::vector<uint32_t>> circles_of(const System& system, const std::vector<OpenWait>& waits) {
    using Thread = std::pair<uint32_t, int>;  // process, tid
    auto thread_of = [&](uint32_t stream) -> const ThreadInfo& {
        return system.threads()[system.thread_of_stream(stream)];
    };
    std::map<Thread, uint32_t> wait_of;
    for (uint32_t w = 0; w < waits.size(); ++w) {
        const ThreadInfo& thread = thread_of(waits[w].stream);
        wait_of[{thread.process, thread.tid}] = w;
    }
    std::vector<std::vector<uint32_t>> circles;
    std::vector<uint32_t> seen(waits.size(), 0);  // the way, from 1, on which the wait was met first
    for (uint32_t first = 0; first < waits.size(); ++first) {
        std::vector<uint32_t> way;
        for (auto next =
                 wait_of.find({thread_of(waits[first].stream).process, thread_of(waits[first].stream).tid});
             next != wait_of.end();) {
            const uint32_t w = next->second;
            if (seen[w] == first + 1) {
                circles.emplace_back(std::ranges::find(way, w), way.end());
                break;
            }
            if (seen[w] != 0) break;
            seen[w] = first + 1;
            way.push_back(w);
            next = wait_of.find({next->first.first, waits[w].tid});
        }
    }
    return circles;
}

}  // namespace ovni
