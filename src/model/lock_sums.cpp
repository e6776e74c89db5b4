#include "model/lock_sums.hpp"

#include <algorithm>
#include <cstring>

#include "model/pthread_objects.hpp"
#include "model/text_of_number.hpp"

namespace ovni {

LockSums& LockSums::operator+=(const LockSums& other) {
    waits += other.waits;
    nanoseconds += other.nanoseconds;
    longest = std::max(longest, other.longest);
    for (const std::string& text : other.code.all()) code.add(text);
    for (const auto& [tid, held] : other.holders) {
        holders[tid].waits += held.waits;
        holders[tid].nanoseconds += held.nanoseconds;
    }
    return *this;
}

void ProcessLocks::define(EventCode code, std::span<const uint8_t> data) {
    if (code == EventCode("HNp")) {
        const TextOfNumber text = text_of_number(data);
        code_[text.number].add(text.text);
    }
    if (code.value() != 'd') return;
    PthreadObject object = pthread_object(code, data);
    labels_.try_emplace(object.number, std::move(object.label));
}

LockSumsByName ProcessLocks::sums() const {
    LockSumsByName all;
    for (const auto& [object, sums] : sums_) {
        auto label = labels_.find(object.number);
        LockSums& sum =
            all[{std::string(object.kind), label == labels_.end() ? "(any other object)" : label->second}];
        sum += sums;
        if (const auto known = code_.find(object.number); known != code_.end())
            for (const std::string& text : known->second.all()) sum.code.add(text);
    }
    return all;
}

void ThreadAtLocks::take(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
    const std::string_view kind = pthread_kind(code);
    // After a gap a wait may end whose begin is not known.
    if (code.value() == ']' && !open_.empty() && open_.back().object.kind == kind) return leave(clock);
    Open open;
    if (code.value() != '[' || payload.size() < sizeof open.object.number + sizeof open.holder) return;
    open.object.kind = kind;
    std::memcpy(&open.object.number, payload.data(), sizeof open.object.number);
    std::memcpy(&open.holder, payload.data() + sizeof open.object.number, sizeof open.holder);
    open.since = clock;
    if (open_.size() == deepest) open_.clear();
    open_.push_back(open);
}

void ThreadAtLocks::close(int64_t clock) {
    while (!open_.empty()) leave(clock);
}

void ThreadAtLocks::leave(int64_t clock) {
    const Open open = open_.back();
    open_.pop_back();
    LockSums& sums = process_.sums_[open.object];
    HeldWaits& held = sums.holders[std::max(open.holder, 0)];
    ++sums.waits;
    ++held.waits;
    sums.nanoseconds.add_time(open.since, clock);
    held.nanoseconds.add_time(open.since, clock);
    WideSum length;
    length.add_time(open.since, clock);
    sums.longest = std::max(sums.longest, length.number());
}

}  // namespace ovni
