#include "tools/mpi_profile.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Step = MpiDetails::Step;

// Follows one thread through its calls. Bytes count for the call in which they are told: what was received,
// for the call that completes the request.
class ThreadInMpi {
 public:
    ThreadInMpi(MpiProfile::Sums& sums, MpiProfile::Transfers& transfers)
        : sums_(sums), transfers_(transfers) {}

    void take(const EventView& event) {
        MpiDetails details = mpi_details(event.code, event.payload());
        switch (details.step) {
            case Step::enter:
                enter(details, event.clock);
                break;
            case Step::leave:
                leave(details, event.clock);
                break;
            case Step::send_started:
                started_ = details.request.value_or(0);
                to_nobody_ = goes_nowhere(details);
                break;
            case Step::message:
                current().received += details.bytes.value_or(0);
                break;
            case Step::request_ended:
                end_request(details.request.value_or(0), details.how);
                break;
            case Step::bytes:
                transferred(details.bytes.value_or(0));
                break;
            default:
                break;
        }
    }

 private:
    MpiSums& current() { return sums_[in_]; }
    static bool goes_nowhere(const MpiDetails& details) { return details.peer == OVNI_MPI_NOBODY; }

    void enter(const MpiDetails& details, int64_t clock) {
        in_ = details.function;
        since_ = clock;
        ended_ = 0;
        sent_by_start_.clear();
        to_nobody_ = goes_nowhere(details);
        MpiSums& sums = current();
        ++sums.calls;
        bool sends = in_->family == "collective" || in_->family == "rma";
        to_send_ = sends ? details.bytes.value_or(0) : 0;
    }

    void leave(const MpiDetails& details, int64_t clock) {
        if (in_ != details.function) return;
        MpiSums& sums = current();
        sums.nanoseconds += static_cast<uint64_t>(clock - since_);
        if (details.request && in_->family == "io") transfers_.begun[*details.request] = in_;
        if (goes_nowhere(details)) return;
        // A call that fails leaves without details, and sends nothing.
        if (details.bytes) sums.sent += to_send_;
        if (details.bytes && in_->record != MpiRecord::PersistentSend) add_bytes(*in_, *details.bytes);
    }

    // Told by the leave of a call.
    void add_bytes(const MpiFunctionRow& function, uint64_t bytes) {
        bool sends = function.record == MpiRecord::Send || function.record == MpiRecord::PostedSend ||
                     function.record == MpiRecord::PostedExchange ||
                     (function.family == "io" && function.gives);
        (sends ? current().sent : current().received) += bytes;
    }

    // One that could not be started has sent nothing.
    void end_request(uint32_t request, std::optional<uint32_t> how) {
        ended_ = request;
        auto started = sent_by_start_.find(request);
        if (how == OVNI_MPI_FAILED && started != sent_by_start_.end()) current().sent -= started->second;
    }

    // Of I/O that has ended; else of a message that is sent.
    void transferred(uint64_t bytes) {
        if (ended_ != 0)
            transfers_.completed.push_back({ended_, in_, bytes});
        else if (!to_nobody_)
            send(bytes);
    }
    void send(uint64_t bytes) {
        current().sent += bytes;
        if (started_ != 0) sent_by_start_[started_] = bytes;
        started_ = 0;
    }

    MpiProfile::Sums& sums_;
    const MpiFunctionRow* in_ = nullptr;
    int64_t since_ = 0;
    uint32_t ended_ = 0;                          // the request that has just ended
    uint32_t started_ = 0;                        // the request that has just been started
    uint64_t to_send_ = 0;                        // by the call, if it succeeds
    std::map<uint32_t, uint64_t> sent_by_start_;  // bytes by request, of this call
    bool to_nobody_ = false;                      // what is sent now
    MpiProfile::Transfers& transfers_;
};

double seconds(uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1e9;
}

}  // namespace

MpiSums& MpiSums::operator+=(const MpiSums& other) {
    calls += other.calls;
    nanoseconds += other.nanoseconds;
    sent += other.sent;
    received += other.received;
    return *this;
}

void MpiProfile::add(const Stream& stream, StreamReader reader) {
    const StreamMetadata& about = stream.metadata;
    Process& process = ranks_[{about.app_id.value_or(0), about.rank.value_or(-1), about.pid}];
    ThreadInMpi thread(process.sums, process.transfers);
    while (reader.next())
        if (reader.event().kind == EventView::Kind::event) thread.take(reader.event());
    process.sums.erase(nullptr);
}

MpiProfile::Sums MpiProfile::Process::whole() const {
    Sums all = sums;
    for (const auto& [request, in, bytes] : transfers.completed) {
        auto begun = transfers.begun.find(request);
        bool read = begun != transfers.begun.end() && begun->second->takes;
        (read ? all[in].received : all[in].sent) += bytes;
    }
    return all;
}

void MpiProfile::print_rows(TextOutput& out, const std::string& name, const Sums& sums) {
    std::vector<std::pair<const MpiFunctionRow*, MpiSums>> rows(sums.begin(), sums.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return a.second.nanoseconds != b.second.nanoseconds ? a.second.nanoseconds > b.second.nanoseconds
                                                            : a.first->name < b.first->name;
    });
    for (const auto& [function, sum] : rows)
        fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>10} {:>14.6f} {:>14} {:>14}\n", name,
                       function->name, sum.calls, seconds(sum.nanoseconds), sum.sent, sum.received);
}

void MpiProfile::print(TextOutput& out) const {
    fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>10} {:>14} {:>14} {:>14}\n", "rank",
                   "function", "calls", "seconds", "bytes sent", "received");
    Sums all;
    for (const auto& [rank, process] : ranks_)
        for (const auto& [function, sum] : process.whole()) all[function] += sum;
    print_rows(out, "all", all);
    bool several = !ranks_.empty() && ranks_.begin()->first.app != ranks_.rbegin()->first.app;
    for (const auto& [rank, process] : ranks_) {
        std::string name = rank.rank < 0 ? fmt::format("pid {}", rank.pid) : fmt::format("{}", rank.rank);
        print_rows(out, several ? fmt::format("{}.{}", rank.app, name) : name, process.whole());
    }
}

}  // namespace ovni
