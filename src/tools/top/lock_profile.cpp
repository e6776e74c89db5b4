#include "tools/top/lock_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/seconds.hpp"
#include "source/code_lines.hpp"
#include "tools/line_template.hpp"
#include "tools/top/thread_reading.hpp"

namespace ovni {

namespace {

using Holder = std::pair<int32_t, HeldWaits>;

// The threads that had the object, those for most of the time first.
std::vector<Holder> holders_of(const LockSums& sums) {
    std::vector<Holder> holders;
    for (const auto& [tid, held] : sums.holders)
        if (tid != 0) holders.emplace_back(tid, held);
    std::ranges::stable_sort(holders, [](const auto& a, const auto& b) {
        return a.second.nanoseconds.number() > b.second.nanoseconds.number();
    });
    return holders;
}

Cell text_of_holders(const std::vector<Holder>& holders) {
    constexpr size_t most = 3;
    std::string text;
    for (size_t i = 0; i < std::min(holders.size(), most); ++i)
        text += fmt::format("{}{}: {} for {:.6f}", i == 0 ? "" : ", ", holders[i].first,
                            holders[i].second.waits, seconds(holders[i].second.nanoseconds.number()));
    if (holders.size() > most) text += fmt::format(", and {} more", holders.size() - most);
    return holders.empty() ? Cell() : text;
}

std::vector<DataColumn> columns_of_locks(bool has_lines) {
    DataColumn lines = text_column("lines", "waited for at", 34, 1);
    lines.text.is_shown = has_lines;
    return {rank_column(12),
            text_column("kind", "kind", 10),
            text_column("object", "object", 28),
            number_column("waits", "waits", 10),
            time_column("time_ns", "seconds", 14),
            share_column(),
            time_column("longest_ns", "longest", 14),
            std::move(lines),
            text_column("", "threads that had it: waits, seconds", 0, 2)};
}

std::vector<std::pair<LockName, LockSums>> longest_waits_first(const LockSumsByName& sums) {
    std::vector<std::pair<LockName, LockSums>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
        return a.second.nanoseconds.number() > b.second.nanoseconds.number();
    });
    return rows;
}

Cell lines_cell(const CodeTexts& code, const CodeLines& known) {
    const std::set<std::string> lines = lines_of(code.all(), known);
    return lines.empty() ? Cell() : Cell(one_line(fmt::format("{}", fmt::join(lines, ", "))));
}

struct RowOfLock {
    Cell rank;
    const LockName& lock;
    const LockSums& sums;
    WideSum whole;
};
DataTable::Row lock_row(const RowOfLock& of, const CodeLines& lines) {
    return {of.rank,
            of.lock.kind,
            one_line(of.lock.label),
            of.sums.waits,
            of.sums.nanoseconds,
            share(of.sums.nanoseconds, of.whole),
            of.sums.longest,
            lines_cell(of.sums.code, lines)};
}

std::set<std::string> code_of(const LockSumsByName& sums) {
    std::set<std::string> all;
    for (const auto& [lock, sum] : sums) all.insert(sum.code.all().begin(), sum.code.all().end());
    return all;
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
    Process& process = processes_[process_of(stream)];
    ThreadAtLocks thread(process.locks);
    read_thread(stream, reader, thread, process.time, [&](const EventView& event) {
        if (event.code.model() != 'H') return;
        if (event.jumbo())
            define(process.locks, event, reader.path());
        else
            thread.take(event.code, event.payload(), event.clock);
    });
}

std::vector<DataTable> LockProfile::tables() const {
    LockSumsByName sums;
    for (const auto& [key, process] : processes_)
        for (const auto& [lock, sum] : process.locks.sums()) sums[lock] += sum;
    const std::set<std::string> code = code_of(sums);
    const CodeLines lines(code);
    const std::vector<DataColumn> columns = columns_of_locks(!code.empty());
    DataTable all{"all", columns}, by_rank{"by_rank", columns};
    by_rank.form = DataTable::Form::rows;
    DataTable holders{"holders",
                      {data_column("rank"), data_column("kind"), data_column("object"),
                       data_column("holder_tid"), data_column("waits"), data_column("time_ns")}};
    holders.form = DataTable::Form::left_out;
    WideSum time;
    for (const auto& [key, process] : processes_) {
        const LockSumsByName own = process.locks.sums();
        const Cell rank = rank_cell(key, processes_);
        for (const auto& [lock, sum] : longest_waits_first(own)) {
            by_rank.rows.push_back(lock_row({rank, lock, sum, process.time.of_threads()}, lines));
            by_rank.rows.back().push_back(text_of_holders(holders_of(sum)));
            for (const auto& [tid, held] : holders_of(sum))
                holders.rows.push_back(
                    {rank, lock.kind, one_line(lock.label), tid, held.waits, held.nanoseconds});
        }
        time += process.time.of_threads();
    }
    for (const auto& [lock, sum] : longest_waits_first(sums))
        all.rows.push_back(lock_row({{}, lock, sum, time}, lines));
    return {std::move(all), std::move(by_rank), std::move(holders)};
}

}  // namespace ovni
