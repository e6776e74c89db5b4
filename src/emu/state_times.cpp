#include "emu/state_times.hpp"

#include <algorithm>

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

StateTimes::StateTimes(const System& system, const Plan& plan)
    : system_(system), threads_(system.threads().size()), processes_(system.processes().size()) {
    const std::set<uint16_t> of_tasks = types_of_tasks(plan);
    for (const EventType& type : plan.schema.thread.types) {
        if (type.labels.empty() && !of_tasks.contains(type.type)) continue;
        Column column;
        column.type = type.type;
        column.is_mark = type.type >= prv_type::first_mark && type.type < prv_type::first_counter;
        for (const auto& [value, label] : type.labels) {
            column.names_nothing |= value == 0;
            if (column.is_mark) column.named.insert(value);
        }
        if (type.type >= column_of_type_.size()) column_of_type_.resize(type.type + size_t{1}, no_column);
        column_of_type_[type.type] = static_cast<uint16_t>(columns_.size());
        columns_.push_back(std::move(column));
    }
}

StateTimes::Sum* StateTimes::sum_of(uint32_t thread, size_t column, int64_t value) {
    const Column& of = columns_[column];
    if (value == 0 && !of.names_nothing) return nullptr;
    auto& process = processes_[system_.threads()[thread].process];
    if (!process) process = std::make_unique<Sums[]>(columns_.size());
    bool named = !of.is_mark || of.named.contains(value);
    return &process[column][named ? value : StateTime::unlabelled];
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
    if (record.punctual == Record::Punctual::begin) {
        if (Sum* sum = sum_of(thread, column, record.value)) ++sum->times;
        return;
    }
    if (!threads_[thread]) threads_[thread] = std::make_unique<Shown[]>(columns_.size());
    Shown& shown = threads_[thread][column];
    if (shown.began && shown.value == record.value) return;
    if (shown.sum) shown.sum->ns += record.time - shown.since;
    shown = {record.value, record.time, sum_of(thread, column, record.value), true};
    if (shown.sum) ++shown.sum->times;
}

void StateTimes::finish(int64_t duration) {
    for (auto& thread : threads_)
        for (size_t c = 0; thread && c < columns_.size(); ++c)
            if (thread[c].sum) thread[c].sum->ns += duration - thread[c].since;
}

std::vector<StateTime> StateTimes::all() const {
    std::vector<StateTime> all;
    for (uint32_t p = 0; p < processes_.size(); ++p)
        for (size_t c = 0; processes_[p] && c < columns_.size(); ++c)
            for (const auto& [value, sum] : processes_[p][c])
                all.push_back({p, columns_[c].type, value, sum.ns, sum.times});
    return all;
}

}  // namespace ovni
