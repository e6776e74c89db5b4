#include "tools/top/lock_profile.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/seconds.hpp"
#include "tools/line_template.hpp"
#include "tools/top/thread_reading.hpp"

namespace ovni {

namespace {

// The threads that had the object for most of the time in which others waited.
std::string holders_of(const LockSums& sums) {
    constexpr size_t most = 3;
    std::vector<std::pair<int32_t, HeldWaits>> holders;
    for (const auto& holder : sums.holders)
        if (holder.first != 0) holders.push_back(holder);
    std::ranges::stable_sort(holders, [](const auto& a, const auto& b) {
        return a.second.nanoseconds.number() > b.second.nanoseconds.number();
    });
    std::string text;
    for (size_t i = 0; i < std::min(holders.size(), most); ++i)
        text += fmt::format("{}{}: {} for {:.6f}", i == 0 ? "  " : ", ", holders[i].first,
                            holders[i].second.waits, seconds(holders[i].second.nanoseconds.number()));
    if (holders.size() > most) text += fmt::format(", and {} more", holders.size() - most);
    return text;
}

void define(ProcessLocks& process, const EventView& event, const std::string& path) {
    try {
        process.define(event.code, event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
    } catch (const Error& e) {
        throw Error(fmt::format("event {}: {}", printable(event.code), e.cause), path, event.offset);
    }
}

}  // namespace

void LockProfile::add(const Stream& stream, StreamReader reader) {
    const StreamMetadata& about = stream.metadata;
    ProcessLocks& process = processes_[{about.process->app_id.value_or(0), about.process->rank.value_or(-1),
                                        about.process->pid, about.common->loom}];
    ThreadAtLocks thread(process);
    read_thread(stream, reader, thread, [&](const EventView& event) {
        if (event.code.model() != 'H') return;
        if (event.jumbo())
            define(process, event, reader.path());
        else
            thread.take(event.code, event.payload(), event.clock);
    });
}

void LockProfile::print_rows(TextOutput& out, const std::string& name, const LockSumsByName& sums,
                             Holders holders) {
    std::vector<std::pair<LockName, LockSums>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
        return a.second.nanoseconds.number() > b.second.nanoseconds.number();
    });
    for (const auto& [lock, sum] : rows)
        fmt::format_to(std::back_inserter(out.text()), "{:<12} {:<10} {:<28} {:>10} {:>14.6f} {:>14.6f}{}\n",
                       name, lock.kind, one_line(lock.label), sum.waits, seconds(sum.nanoseconds.number()),
                       seconds(sum.longest), holders == Holders::named ? holders_of(sum) : "");
}

void LockProfile::print(TextOutput& out) const {
    fmt::format_to(std::back_inserter(out.text()), "{:<12} {:<10} {:<28} {:>10} {:>14} {:>14}  {}\n", "rank",
                   "kind", "object", "waits", "seconds", "longest", "threads that had it: waits, seconds");
    LockSumsByName all;
    for (const auto& [process, locks] : processes_)
        for (const auto& [lock, sum] : locks.sums()) all[lock] += sum;
    print_rows(out, "all", all, Holders::left_out);
    bool several = !processes_.empty() && processes_.begin()->first.app != processes_.rbegin()->first.app;
    for (const auto& [process, locks] : processes_) {
        std::string name =
            process.rank < 0 ? fmt::format("pid {}", process.pid) : fmt::format("{}", process.rank);
        print_rows(out, several ? fmt::format("{}.{}", process.app, name) : name, locks.sums(),
                   Holders::named);
    }
}

}  // namespace ovni
