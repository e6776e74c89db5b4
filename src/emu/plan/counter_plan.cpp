#include "emu/plan/counter_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "core/counter_names.hpp"

namespace ovni {

namespace {

// The titles in the PCF, by number.
using Titles = std::map<uint32_t, std::string>;

bool is_memory(const std::string& name) {
    const CounterRow* row = find_counter(name);
    return row && row->kind == CounterKind::memory;
}

// Places of deltas are those in the list without the memory, so that is the last of it.
void check_list(const std::vector<std::string>& names, const std::string& path) {
    for (size_t i = 0; i < names.size(); ++i) {
        if (is_memory(names[i]) && i + 1 < names.size())
            throw Error(fmt::format("ovni.counters: '{}' is not the last one", names[i]), path);
        if (std::ranges::count(names, names[i]) > 1)
            throw Error(fmt::format("ovni.counters: '{}' is there twice", names[i]), path);
    }
}

// Names of events of the processor get numbers in their order.
std::map<std::string, uint32_t> numbers_of(const Trace& trace, const System& system) {
    std::map<std::string, uint32_t> numbers;
    for (const ThreadInfo& thread : system.threads()) {
        const std::vector<std::string>& names = trace.streams()[thread.stream].metadata.common->counters;
        check_list(names, trace.json_path_of(thread.stream));
        for (const std::string& name : names) {
            const CounterRow* row = find_counter(name);
            if (!row && raw_counter(name) == 0)
                throw Error(fmt::format("ovni.counters: no counter has the name '{}'", name),
                            trace.json_path_of(thread.stream));
            numbers[name] = row ? row->prv_type : 0;
        }
    }
    constexpr size_t most = 512;
    if (numbers.size() > most)
        throw Error(fmt::format("the streams name {} counters, more than {}", numbers.size(), most));
    uint32_t next = counter_type::first_raw;
    for (auto& [name, number] : numbers)
        if (number == 0) number = next++;
    return numbers;
}

Titles titles_of(const std::map<std::string, uint32_t>& numbers) {
    Titles titles;
    for (const auto& [name, number] : numbers) titles[number] = name;
    if (titles.contains(counter_type::resident_memory)) {
        titles[counter_type::resident_memory] = "resident memory of the process in bytes";
        titles[counter_type::highest_memory] = "highest resident memory of the process in bytes";
    }
    return titles;
}

}  // namespace

void add_instants(Plan& plan, const Trace& trace, const System& system) {
    const std::map<std::string, uint32_t> numbers = numbers_of(trace, system);
    std::map<uint32_t, uint16_t> type_of;
    for (const auto& [number, title] : titles_of(numbers)) {
        auto type = static_cast<uint16_t>(prv_type::first_instant + plan.instants.size());
        type_of[number] = type;
        plan.instants.push_back({title, number});
        for (FileSchema* file : {&plan.schema.thread, &plan.schema.cpu})
            file->types.push_back({.type = type, .title = title, .labels = {}, .number = number});
        if (number == counter_type::resident_memory) plan.memory_type = type;
    }
    plan.counters_of.resize(trace.streams().size());
    for (const ThreadInfo& thread : system.threads())
        for (const std::string& name : trace.streams()[thread.stream].metadata.common->counters)
            if (!is_memory(name)) plan.counters_of[thread.stream].push_back(type_of.at(numbers.at(name)));
}

}  // namespace ovni
