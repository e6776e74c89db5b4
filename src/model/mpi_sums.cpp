#include "model/mpi_sums.hpp"

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Step = MpiDetails::Step;

bool goes_nowhere(const MpiDetails& details) {
    return details.peer == OVNI_MPI_NOBODY;
}

}  // namespace

MpiSums& MpiSums::operator+=(const MpiSums& other) {
    calls += other.calls;
    nanoseconds += other.nanoseconds;
    sent += other.sent;
    received += other.received;
    return *this;
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

MpiSumsByFunction ProcessInMpi::sums() const {
    MpiSumsByFunction all = sums_;
    for (const auto& [request, in, bytes] : completed_) {
        auto begun = begun_.find(request);
        bool read = begun != begun_.end() && begun->second->takes;
        (read ? all[in].received : all[in].sent) += bytes;
    }
    all.erase(nullptr);
    return all;
}

void ThreadInMpi::take(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
    MpiDetails details = mpi_details(code, payload);
    switch (details.step) {
        case Step::enter:
            return enter(details, clock);
        case Step::leave:
            return leave(details, clock);
        case Step::send_started:
            started_ = details.request.value_or(0);
            to_nobody_ = goes_nowhere(details);
            return;
        case Step::message:
            current().received += details.bytes.value_or(0);
            return;
        case Step::request_ended:
            return end_request(details.request.value_or(0), details.how);
        case Step::bytes:
            return transferred(details.bytes.value_or(0));
        default:
            return;
    }
}

void ThreadInMpi::enter(const MpiDetails& details, int64_t clock) {
    in_ = details.function;
    since_ = clock;
    ended_ = 0;
    sent_by_start_.clear();
    to_nobody_ = goes_nowhere(details);
    ++current().calls;
    bool sends = in_->family == "collective" || in_->family == "rma";
    to_send_ = sends ? details.bytes.value_or(0) : 0;
}

void ThreadInMpi::leave(const MpiDetails& details, int64_t clock) {
    if (in_ != details.function) return;
    MpiSums& sums = current();
    sums.nanoseconds += static_cast<uint64_t>(clock - since_);
    if (details.request && in_->family == "io") process_.begun_[*details.request] = in_;
    if (goes_nowhere(details)) return;
    // A call that fails leaves without details, and sends nothing.
    if (details.bytes) sums.sent += to_send_;
    if (details.bytes && in_->record != MpiRecord::PersistentSend) add_bytes(*in_, *details.bytes);
}

// Told by the leave of a call.
void ThreadInMpi::add_bytes(const MpiFunctionRow& function, uint64_t bytes) {
    bool sends = function.record == MpiRecord::Send || function.record == MpiRecord::PostedSend ||
                 function.record == MpiRecord::PostedExchange || (function.family == "io" && function.gives);
    (sends ? current().sent : current().received) += bytes;
}

// One that could not be started has sent nothing.
void ThreadInMpi::end_request(uint32_t request, std::optional<uint32_t> how) {
    ended_ = request;
    auto started = sent_by_start_.find(request);
    if (how == OVNI_MPI_FAILED && started != sent_by_start_.end()) current().sent -= started->second;
}

// Of I/O that has ended; else of a message that is sent.
void ThreadInMpi::transferred(uint64_t bytes) {
    if (ended_ != 0)
        process_.complete({ended_, in_, bytes});
    else if (!to_nobody_)
        send(bytes);
}

void ThreadInMpi::send(uint64_t bytes) {
    current().sent += bytes;
    if (started_ != 0) sent_by_start_[started_] = bytes;
    started_ = 0;
}

}  // namespace ovni
