#include "model/mpi_sums.hpp"

#include <algorithm>
#include <utility>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Step = MpiStep;
using Field = MpiField;

bool goes_nowhere(const MpiEvent& event) {
    return event.rank(Field::peer) == OVNI_MPI_NOBODY;
}

}  // namespace

MpiSums& MpiSums::operator+=(const MpiSums& other) {
    calls += other.calls;
    nanoseconds += other.nanoseconds;
    sent += other.sent;
    received += other.received;
    return *this;
}

ProcessInMpi::CallerIndex ProcessInMpi::index_of(const MpiCaller& caller) {
    auto [known, is_new] = indices_.emplace(caller, static_cast<CallerIndex>(sums_.size()));
    if (is_new) sums_.emplace_back();
    return known->second;
}

void ProcessInMpi::complete(const Completed& transfer) {
    auto begun = begun_.find(transfer.request);
    if (begun == begun_.end()) {
        completed_.push_back(transfer);
        return;
    }
    MpiSums& sums = sums_[transfer.in];
    (begun->second->takes ? sums.received : sums.sent) += transfer.bytes;
    begun_.erase(begun);
}

MpiSumsByCaller ProcessInMpi::sums_by_caller() const {
    std::vector<MpiSums> sums = sums_;
    for (const auto& [request, in, bytes] : completed_) {
        auto begun = begun_.find(request);
        bool read = begun != begun_.end() && begun->second->takes;
        (read ? sums[in].received : sums[in].sent) += bytes;
    }
    MpiSumsByCaller all;
    for (const auto& [caller, index] : indices_) all[caller] = sums[index];
    return all;
}

std::vector<BetweenCalls> ProcessInMpi::between_calls() const {
    std::vector<MpiCaller> callers(sums_.size());
    for (const auto& [caller, index] : indices_) callers[index] = caller;
    std::vector<BetweenCalls> all;
    for (const auto& [key, between] : between_)
        all.push_back({callers[key >> 32], callers[key & UINT32_MAX], between.times, between.nanoseconds});
    std::ranges::sort(all, {}, [](const BetweenCalls& of) { return std::pair(of.from, of.to); });
    return all;
}

MpiSumsByFunction ProcessInMpi::sums() const {
    MpiSumsByFunction all;
    for (const auto& [caller, sums] : sums_by_caller()) all[caller.function] += sums;
    return all;
}

void ThreadInMpi::take(const MpiEvent& event, int64_t clock) {
    switch (event.step()) {
        case Step::enter:
            return enter(event, clock);
        case Step::leave:
            return leave(event, clock);
        case Step::send_started:
            started_ = event.number(Field::request).value_or(0);
            call_.to_nobody = goes_nowhere(event);
            return;
        case Step::started:
            return start_collective(event.number(Field::request).value_or(0));
        case Step::message:
            current().received += event.bytes().value_or(0);
            return;
        case Step::request_ended:
            return end_request(event.number(Field::request).value_or(0), event.number(Field::how));
        case Step::bytes:
            return transferred(event.bytes().value_or(0));
        case Step::site:
            return come_from(event.number(Field::site).value_or(OVNI_MPI_NO_SITE));
        default:
            return;
    }
}

// Time counts only while the thread runs; OHC does not change its state.
void ThreadInMpi::change_state(EventCode code, int64_t clock) {
    if (code == EventCode("OHC")) return;
    spend_until(clock);
    runs_ = code == EventCode("OHx") || code == EventCode("OHr");
}

void ThreadInMpi::spend_until(int64_t clock) {
    if (runs_) current().nanoseconds.add_time(since_, clock);
    if (!runs_) paused_ += clock - since_;
    since_ = clock;
}

void ThreadInMpi::close(int64_t clock) {
    spend_until(clock);
    call_ = {};
    before_ = ProcessInMpi::no_call;
    outer_.clear();
    index_of_.fill(ProcessInMpi::no_call);
}

void ThreadInMpi::come_from(uint32_t site) {
    if (!sites_) return;
    auto found = sites_->find(site);
    if (found == sites_->end()) return index_of_.fill(ProcessInMpi::no_call);
    index_of_[static_cast<size_t>(found->second.function - mpi_function_rows)] =
        process_.index_of(found->second);
}

ProcessInMpi::CallerIndex ThreadInMpi::index_of(const MpiFunctionRow* function) {
    ProcessInMpi::CallerIndex& index = index_of_[static_cast<size_t>(function - mpi_function_rows)];
    if (index == ProcessInMpi::no_call) [[unlikely]]
        index = process_.index_of({function, MpiCaller::unknown});
    return index;
}

void ThreadInMpi::enter(const MpiEvent& event, int64_t clock) {
    spend_until(clock);
    const bool is_outermost = !call_.function;
    if (call_.function) {
        if (outer_.size() == deepest) outer_.clear();
        outer_.push_back(call_);
    }
    const MpiFunctionRow& function = *event.function();
    ended_ = 0;
    if (!sent_by_start_.empty()) sent_by_start_.clear();
    bool sends = (function.family == "collective" && function.record != MpiRecord::PersistentCollective) ||
                 function.family == "rma";
    call_ = {&function, index_of(&function), goes_nowhere(event), sends ? event.bytes().value_or(0) : 0};
    if (function.record == MpiRecord::PersistentCollective) call_.of_each = event.bytes().value_or(0);
    ++current().calls;
    if (!is_outermost || before_ == ProcessInMpi::no_call) return;
    ProcessInMpi::Between& between = process_.between(before_, call_.caller);
    ++between.times;
    between.nanoseconds.add_time(left_ + paused_, clock);
}

void ThreadInMpi::leave(const MpiEvent& event, int64_t clock) {
    if (call_.function != event.function()) return;
    spend_until(clock);
    const MpiFunctionRow& function = *call_.function;
    auto bytes = event.bytes();
    if (auto request = event.number(Field::request); request && function.family == "io")
        process_.begun_[*request] = &function;
    // A call that fails leaves without details, and sends nothing.
    if (bytes && !goes_nowhere(event)) {
        current().sent += call_.to_send;
        if (function.record == MpiRecord::PersistentCollective)
            process_.collectives_[event.number(Field::request).value_or(0)] = {call_.of_each, *bytes};
        else if (function.record != MpiRecord::PersistentSend &&
                 function.record != MpiRecord::PersistentReceive)
            add_bytes(function, *bytes);
    }
    before_ = call_.caller;
    left_ = clock;
    paused_ = 0;
    call_ = outer_.empty() ? Call{} : outer_.back();
    if (!outer_.empty()) outer_.pop_back();
}

// Counts the bytes in the leave of a call.
void ThreadInMpi::add_bytes(const MpiFunctionRow& function, uint64_t bytes) {
    bool sends = function.record == MpiRecord::Send || function.record == MpiRecord::PostedSend ||
                 function.record == MpiRecord::PostedExchange || (function.family == "io" && function.gives);
    (sends ? current().sent : current().received) += bytes;
}

void ThreadInMpi::start_collective(uint32_t request) {
    const auto made = process_.collectives_.find(request);
    if (made == process_.collectives_.end()) return;
    current().sent += made->second.sent;
    current().received += made->second.received;
}

// A request that could not be started has sent nothing.
void ThreadInMpi::end_request(uint32_t request, std::optional<uint32_t> how) {
    ended_ = request;
    auto started = sent_by_start_.find(request);
    if (how == OVNI_MPI_FAILED && started != sent_by_start_.end()) current().sent -= started->second;
}

// Counts the bytes of I/O that has ended, else of a message that is sent.
void ThreadInMpi::transferred(uint64_t bytes) {
    if (ended_ != 0)
        process_.complete({ended_, call_.caller, bytes});
    else if (!call_.to_nobody)
        send(bytes);
}

void ThreadInMpi::send(uint64_t bytes) {
    current().sent += bytes;
    if (started_ != 0) sent_by_start_[started_] = bytes;
    started_ = 0;
}

}  // namespace ovni
