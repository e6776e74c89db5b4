#include "sink/page/page_counters.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/counter_names.hpp"
#include "emu/plan/plan.hpp"
#include "emu/state/machine.hpp"
#include "sink/page/page_items.hpp"
#include "sink/page/time_columns.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

// The limits for all rows and counters together.
constexpr size_t most_counter_columns = 2048, most_cells = size_t{1} << 17;

CounterColumns::Measure kind_of(const EventType& type) {
    return type.number >= counter_type::resident_memory ? CounterColumns::Measure::level
                                                        : CounterColumns::Measure::amount;
}

size_t place_of(const Record& record) {
    return record.type - prv_type::first_instant;
}

}  // namespace

PageCounters::PageCounters(const Schema& schema, const RowOwners& owners, const PageGroups* hosts,
                           uint32_t first_row, uint32_t end_row)
    : owners_(owners), hosts_(hosts), first_row_(first_row) {
    for (const EventType& type : schema.thread.types)
        if (shows(type.type)) counters_.push_back({type.title, type.shown(), kind_of(type)});
    if (is_empty()) return;
    for (uint32_t row = owners_.rows.size(); row-- > 0;) {
        const size_t process = owners_.rows[row].process;
        first_row_of_process_.resize(std::max(first_row_of_process_.size(), process + 1));
        first_row_of_process_[process] = row;
    }
    rows_.resize(end_row - first_row);
    for (uint32_t number = first_row; number < end_row; ++number) {
        Row& row = rows_[number - first_row];
        row.counts_at_once = schema.threads[number].counts_at_once;
        row.last.resize(counters_.size());
        row.columns = columns_of_one(owners_.rows.size());
    }
    if (hosts_ == nullptr) return;
    for (size_t host = 0; host < hosts_->size(); ++host) of_hosts_.push_back(columns_of_one(hosts_->size()));
}

// 0: too many.
size_t PageCounters::columns_for(size_t rows) const {
    size_t columns = most_counter_columns;
    while (columns * rows * counters_.size() > most_cells) columns /= 2;
    return columns;
}

PageCounters::Columns PageCounters::columns_of_one(size_t rows) const {
    Columns all;
    const size_t columns = columns_for(rows);
    if (columns == 0) return all;
    for (const Counter& counter : counters_) all.emplace_back(counter.kind, columns);
    return all;
}

uint32_t PageCounters::row_of(const Record& record) const {
    const bool is_level = counters_[place_of(record)].kind == CounterColumns::Measure::level;
    return is_level ? first_row_of_process_[owners_.rows[record.thread_row].process] : record.thread_row;
}

void PageCounters::add(uint32_t row, size_t counter, uint64_t value, int64_t from, int64_t to) {
    Columns& of_row = rows_[row - first_row_].columns;
    if (!of_row.empty()) of_row[counter].add(value, from, to);
    if (of_hosts_.empty()) return;
    Columns& of_host = of_hosts_[hosts_->of(owners_.rows[row].host)];
    if (!of_host.empty()) of_host[counter].add(value, from, to);
}

void PageCounters::take(const Record& record) {
    const uint32_t number = row_of(record);
    const size_t counter = place_of(record);
    const int64_t time = std::max<int64_t>(record.time, 0);
    const auto value = static_cast<uint64_t>(record.value);
    Row& row = rows_[number - first_row_];
    const Last before = std::exchange(row.last[counter], {time, value});
    if (counters_[counter].kind == CounterColumns::Measure::level)
        return add(number, counter, before.level, before.time, time);
    // A delta of no time still counts.
    const int64_t end = std::max<int64_t>(time, 1);
    add(number, counter, value, std::min(std::max(before.time, row.counts_since), end - 1), end);
}

void PageCounters::follow(const Record& record) {
    if (is_empty() || record.type == prv_type::wait_state) return;
    Row& row = rows_[record.thread_row - first_row_];
    const int64_t time = std::max<int64_t>(record.time, 0);
    if (record.type == prv_type::thread_state) return follow_state(row, record.value, time);
    // The first border of a call or region is its begin.
    if (record.value != 0 && !std::exchange(row.is_counting, true)) row.counts_since = time;
}

void PageCounters::follow_state(Row& row, int64_t state, int64_t time) {
    row.ended = state == static_cast<int64_t>(RunState::dead) ? time : INT64_MAX;
    if (state != static_cast<int64_t>(RunState::running)) return;
    row.counts_since = time;
    row.is_counting = row.counts_at_once || std::exchange(row.has_run, true);
}

// A level holds until the last thread of its process ends.
void PageCounters::end_levels(const Ranks& ranks, int64_t end) {
    std::vector<int64_t> ends(first_row_of_process_.size());
    for (uint32_t i = 0; i < rows_.size(); ++i) {
        int64_t& of_process = ends[owners_.rows[first_row_ + i].process];
        of_process = std::max(of_process, std::min(rows_[i].ended, end));
    }
    ends = ranks.allreduce(Op::max, std::move(ends));
    for (uint32_t i = 0; i < rows_.size(); ++i)
        for (size_t counter = 0; counter < counters_.size(); ++counter) {
            const auto [time, level] = rows_[i].last[counter];
            if (counters_[counter].kind == CounterColumns::Measure::level)
                add(first_row_ + i, counter, level, time, ends[owners_.rows[first_row_ + i].process]);
        }
}

// The counters of the hosts of all ranks, on rank 0.
void PageCounters::merge_hosts(const Ranks& ranks) {
    struct Sum {
        uint32_t host, counter;
        uint64_t column, value;
    };
    if (ranks.is_alone()) return;
    std::vector<Sum> mine;
    for (uint32_t host = 0; host < of_hosts_.size(); ++host)
        for (uint32_t counter = 0; counter < of_hosts_[host].size(); ++counter) {
            const std::vector<uint64_t>& values = of_hosts_[host][counter].values();
            for (size_t column = 0; column < values.size(); ++column)
                if (values[column] > 0) mine.push_back({host, counter, column, values[column]});
        }
    const PerRank<std::vector<Sum>> all = ranks.gather(mine);
    for (size_t rank = 1; rank < all.size(); ++rank)
        for (const auto& [host, counter, column, value] : all[rank])
            of_hosts_[host][counter].add_column(column, value);
}

Json PageCounters::end(const Ranks& ranks, int64_t end) {
    if (is_empty()) return nullptr;
    end_levels(ranks, end);
    auto texts = [end](Columns& columns) {
        Json all = Json::array();
        for (CounterColumns& of_one : columns) {
            of_one.fit(end);
            all.push_back(of_one.text(end));
        }
        return all;
    };
    auto table = [&](size_t rows, Json cells) {
        const size_t columns = std::max<size_t>(columns_for(rows), 1);
        return Json{{"width", int64_t{1} << TimeColumns::shift_for(end, columns)},
                    {"cells", std::move(cells)}};
    };
    Json mine = Json::array();
    for (Row& row : rows_)
        if (!row.columns.empty()) mine.push_back(texts(row.columns));
    for (Columns& of_host : of_hosts_)
        for (CounterColumns& of_one : of_host) of_one.fit(end);
    merge_hosts(ranks);
    Json of_rows = gather_items(ranks, mine), of_hosts = Json::array(), list = Json::array();
    for (Columns& of_host : of_hosts_) of_hosts.push_back(texts(of_host));
    for (const auto& [name, type, kind] : counters_)
        list.push_back(
            {{"name", name}, {"type", type}, {"is_level", kind == CounterColumns::Measure::level}});
    return {{"list", std::move(list)},
            {"rows", table(owners_.rows.size(), std::move(of_rows))},
            {"hosts", table(std::max<size_t>(of_hosts_.size(), 1), std::move(of_hosts))}};
}

}  // namespace ovni
