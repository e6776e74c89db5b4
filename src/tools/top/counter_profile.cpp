#include "tools/top/counter_profile.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

double wide_seconds(WideSum nanoseconds) {
    return static_cast<double>(nanoseconds.number()) / 1e9;
}

// A number of the profile, or nothing.
std::string rate(double value) {
    return value > 0 ? fmt::format("{:.2f}", value) : "-";
}

std::string construct_name(const CountedConstruct& construct) {
    if (construct.kind.empty()) return "outside of regions and waits";
    if (construct.kind == "wait") return "wait: " + construct.label;
    return std::string(construct.kind) + (construct.label.empty() ? "" : " ") + one_line(construct.label);
}

}  // namespace

size_t CounterProfile::number_of(const std::string& name) const {
    return static_cast<size_t>(std::ranges::find(names_, name) - names_.begin());
}

void CounterProfile::add(const Stream& stream, StreamReader reader) {
    const StreamMetadata& about = stream.metadata;
    std::vector<uint16_t> numbers;
    for (const std::string& name : about.common->counters) {
        const size_t number = number_of(name);
        if (name != "rss" && number == names_.size()) names_.push_back(name);
        numbers.push_back(static_cast<uint16_t>(number));
    }
    if (numbers.empty()) return;
    for (const MarkType& marks : *about.common->marks)
        if (marks.type == OVNI_MPI_REGION_MARK) regions_.insert(marks.labels.begin(), marks.labels.end());
    const Rank rank{about.process->app_id.value_or(0), about.process->rank.value_or(-1), about.process->pid,
                    about.common->loom};
    if (!about.name->empty()) threads_[{rank, about.tid}] = *about.name;
    ThreadInCounters thread(ranks_[rank], about.tid, numbers);
    while (reader.next()) {
        const EventView& event = reader.event();
        if (event.kind == EventView::Kind::event && event.jumbo())
            thread.define(event.code, event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
        else if (event.kind == EventView::Kind::event)
            thread.take(event.code, event.payload(), event.clock);
        else if (event.kind != EventView::Kind::gap_end)
            thread.close();
    }
}

std::string CounterProfile::name_of_region(int64_t region) const {
    if (region == 0) return "in no region";
    const auto name = regions_.find(region);
    return "region " + (name == regions_.end() ? std::to_string(region) : one_line(name->second));
}

void CounterProfile::print_threads(TextOutput& out, const std::string& name, const Rank& rank,
                                   const ProcessCounters& process) const {
    std::vector<Row> threads;
    for (const auto& [tid, sums] : process.by_thread) {
        const auto own = threads_.find({rank, tid});
        threads.emplace_back(fmt::format("thread {}{}{}", tid, own == threads_.end() ? "" : " ",
                                         own == threads_.end() ? "" : one_line(own->second)),
                             sums);
    }
    if (threads.size() > 1) print_rows(out, name, std::move(threads));
}

void CounterProfile::print_process(TextOutput& out, const std::string& rank,
                                   const ProcessCounters& process) const {
    std::vector<Row> functions, regions, constructs;
    for (const auto& [function, sums] : process.by_function)
        functions.emplace_back(function ? function->name : "outside of MPI", sums);
    for (const auto& [region, sums] : process.by_region) regions.emplace_back(name_of_region(region), sums);
    for (const auto& [construct, sums] : process.by_construct)
        constructs.emplace_back(construct_name(construct), sums);
    const bool has_regions = regions.size() > 1 || !process.by_region.contains(0);
    const bool has_constructs = constructs.size() > 1 || !process.by_construct.contains({});
    print_rows(out, rank, std::move(functions));
    if (has_regions) print_rows(out, rank, std::move(regions));
    if (has_constructs) print_rows(out, rank, std::move(constructs));
}

void CounterProfile::print_rows(TextOutput& out, const std::string& rank, std::vector<Row> rows) const {
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::pair(b.second.nanoseconds.number(), a.first) <
               std::pair(a.second.nanoseconds.number(), b.first);
    });
    for (const auto& [name, sum] : rows) {
        const CounterRates rates = rates_of(sum, number_of("instructions"), number_of("cycles"));
        fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>14.6f} {:>6} {:>6}", rank, name,
                       wide_seconds(sum.nanoseconds), rate(rates.ipc), rate(rates.ghz));
        for (size_t c = 0; c < names_.size(); ++c)
            fmt::format_to(std::back_inserter(out.text()), " {:>{}}",
                           c < sum.of.size() ? sum.of[c].number() : 0,
                           std::max<size_t>(names_[c].size(), 14));
        fmt::format_to(std::back_inserter(out.text()), "\n");
    }
}

void CounterProfile::print(TextOutput& out) const {
    fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>14} {:>6} {:>6}", "rank",
                   "function, region, thread", "seconds", "IPC", "GHz");
    for (const std::string& name : names_)
        fmt::format_to(std::back_inserter(out.text()), " {:>14}", one_line(name));
    fmt::format_to(std::back_inserter(out.text()), "\n");
    ProcessCounters all;
    for (const auto& [rank, process] : ranks_) {
        for (const auto& [function, sums] : process.by_function) all.by_function[function] += sums;
        for (const auto& [region, sums] : process.by_region) all.by_region[region] += sums;
        for (const auto& [construct, sums] : process.by_construct) all.by_construct[construct] += sums;
    }
    print_process(out, "all", all);
    const bool several = !ranks_.empty() && ranks_.begin()->first.app != ranks_.rbegin()->first.app;
    for (const auto& [rank, process] : ranks_) {
        std::string name = rank.rank < 0 ? fmt::format("pid {}", rank.pid) : fmt::format("{}", rank.rank);
        if (several) name = fmt::format("{}.{}", rank.app, name);
        print_process(out, name, process);
        print_threads(out, name, rank, process);
    }
}

}  // namespace ovni
