#include "run/counter_options.hpp"

#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "core/counter_names.hpp"
#include "counters/perf_event.hpp"
#include "counters/usage_counters.hpp"

namespace ovni::run {

namespace {

std::string proposal_of_counter(std::string_view word) {
    std::vector<std::string> names;
    for (const CounterRow& row : counter_rows)
        for (std::string_view name : {row.name, row.short_name})
            if (!name.empty()) names.emplace_back(name);
    for (const CounterGroupName& group : counter_groups) names.emplace_back(group.name);
    return proposal(word.starts_with('-') ? word.substr(1) : word, names);
}

std::string state_of(const CounterRow& row) {
    if (row.kind == CounterKind::memory) return "yes";
    const int descriptor = counters::open_counter(row, counters::no_group);
    const int error = errno;
    if (descriptor >= 0) {
        ::close(descriptor);
        return "yes";
    }
    if (counters::UsageCounters::has(row)) return "yes, by getrusage";
    return fmt::format("no: {}", counters::cause_of(row, error, false));
}

}  // namespace

void check_counters(std::string_view name, std::string_view list) {
    CounterChoice choice;
    const std::string_view wrong = choice.take(list);
    if (wrong.empty()) return;
    if (choice.is_full())
        throw UsageError(fmt::format("{}: {} counters are the most, '{}' is one too many", name,
                                     CounterChoice::most, wrong));
    throw UsageError(fmt::format("{}: '{}' is no counter{}, see {} list", name, wrong,
                                 proposal_of_counter(wrong), "--counters"));
}

bool asks_for_counters(char** words) {
    const std::string_view word = words[0];
    if (word == "--counters=list") return true;
    return word == "--counters" && words[1] && std::string_view(words[1]) == "list";
}

std::string counters_of_this_machine() {
    std::string text =
        fmt::format("{:<24} {:<22} {:<9} {}\n", "counter", "also", "Paraver", "on this machine");
    for (const CounterRow& row : counter_rows)
        text +=
            fmt::format("{:<24} {:<22} {:<9} {}\n", row.name, row.short_name, row.prv_type, state_of(row));
    text += "\nrHEX is an event of the processor by its number, as r1c2.\n\n";
    for (const CounterGroupName& group : counter_groups)
        text += fmt::format("{:<24} stands for {}\n", group.name, group.counters);
    return text;
}

}  // namespace ovni::run
