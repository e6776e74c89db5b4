#include "session/report/state_times.hpp"

#include <set>

namespace ovni {

namespace {

constexpr uint16_t no_column = 0xffff;

// Types whose labels are known at the end only.
std::set<uint16_t> types_of_tasks(const Plan& plan) {
    std::set<uint16_t> types;
    for (const ModelPlan& model : plan.models)
        for (const ChannelSpec& channel : model.spec->channels)
            if (channel.labels == Labels::task_types) types.insert(channel.prv_type);
    return types;
}

}  // namespace

StateTimes::StateTimes(const System& system, const Plan& plan) : processes_(system.processes().size()) {
    for (const ThreadInfo& thread : system.threads()) threads_.push_back({thread.process, nullptr});
    const std::set<uint16_t> of_tasks = types_of_tasks(plan);
    for (const EventType& type : plan.schema.thread.types) {
        if (type.labels.empty() && !of_tasks.contains(type.type)) continue;
        Column column;
        column.type = type.type;
        column.is_mark = type.type >= prv_type::first_mark && type.type < prv_type::first_counter;
        for (const auto& [value, label] : type.labels.all()) {
            column.names_nothing |= value == 0;
            if (column.is_mark) column.named.find_or_add(value);
        }
        if (type.type >= column_of_type_.size()) column_of_type_.resize(type.type + size_t{1}, no_column);
        column_of_type_[type.type] = static_cast<uint16_t>(columns_.size());
        columns_.push_back(std::move(column));
    }
}

uint32_t StateTimes::place_of(Sums& sums, const Column& column, int64_t value) {
    if (value == 0 && !column.names_nothing) return nothing;
    uint32_t place = sums.place_of.find(value);
    if (place != ValueIndex::none) [[likely]]
        return place;
    if (column.is_mark && column.named.find(value) == ValueIndex::none) return unlabelled;
    sums.of_values.push_back({.value = value, .times = 0, .ns = {}});
    return sums.place_of.find_or_add(value);
}

void StateTimes::take(std::span<const Record> records) {
    for (const Record& record : records) {
        if (record.thread_row == Record::no_row || record.type >= column_of_type_.size()) continue;
        size_t column = column_of_type_[record.type];
        if (column != no_column) show(record.thread_row, column, record);
    }
}

void StateTimes::show(uint32_t thread, size_t column, const Record& record) {
    if (record.punctual == Record::Punctual::end) return;
    Row& row = threads_[thread];
    auto& of_process = processes_[row.process];
    if (!of_process) of_process = std::make_unique<Sums[]>(columns_.size());
    Sums& sums = of_process[column];
    if (record.punctual == Record::Punctual::begin) {
        uint32_t place = place_of(sums, columns_[column], record.value);
        if (place != nothing) ++sum_at(sums, place).times;
        return;
    }
    if (!row.columns) row.columns = std::make_unique<Shown[]>(columns_.size());
    Shown& shown = row.columns[column];
    if (shown.began && shown.value == record.value) return;
    if (shown.place != nothing) sum_at(sums, shown.place).ns.add_time(shown.since, record.time);
    shown = {record.value, record.time, place_of(sums, columns_[column], record.value), true};
    if (shown.place != nothing) ++sum_at(sums, shown.place).times;
}

void StateTimes::finish(int64_t duration) {
    for (Row& row : threads_)
        for (size_t c = 0; row.columns && c < columns_.size(); ++c) {
            const Shown& shown = row.columns[c];
            if (shown.place != nothing)
                sum_at(processes_[row.process][c], shown.place).ns.add_time(shown.since, duration);
        }
}

std::vector<StateTime> StateTimes::all() const {
    std::vector<StateTime> all;
    for (uint32_t p = 0; p < processes_.size(); ++p)
        for (size_t c = 0; processes_[p] && c < columns_.size(); ++c) {
            auto add = [&](StateTime::Named named, const Sum& sum) {
                all.push_back({p, columns_[c].type, named, sum.value, sum.times, sum.ns});
            };
            const Sums& sums = processes_[p][c];
            if (sums.unlabelled.times > 0) add(StateTime::Named::no, sums.unlabelled);
            for (const Sum& sum : sums.of_values) add(StateTime::Named::yes, sum);
        }
    return all;
}

}  // namespace ovni
