#include "tools/top/counter_profile.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// Unknown if it is 0.
Cell rate(double value) {
    return value > 0 ? Cell(value) : Cell();
}

DataColumn rate_column(std::string name, std::string heading) {
    constexpr size_t width = 6;
    return {std::move(name), {.heading = std::move(heading), .width = width, .form = as_rate, .empty = "-"}};
}

std::string text_of_construct(const CountedConstruct& construct) {
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
    const ProfiledProcess process = process_of(stream);
    if (!about.name->empty()) threads_[{process, about.tid}] = *about.name;
    ThreadInCounters thread(processes_[process], about.tid, numbers);
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
    const auto name = regions_.find(region);
    return name == regions_.end() ? std::to_string(region) : one_line(name->second);
}

void CounterProfile::add_rows(DataTable& table, const Cell& rank, std::vector<Place> places) const {
    std::ranges::sort(places, [](const Place& a, const Place& b) {
        return std::pair(b.sums->nanoseconds.number(), a.text) <
               std::pair(a.sums->nanoseconds.number(), b.text);
    });
    for (const Place& place : places) {
        const CounterSums& sums = *place.sums;
        const CounterRates rates = rates_of(sums, number_of("instructions"), number_of("cycles"));
        DataTable::Row row{
            rank, place.kind, place.name, place.text, sums.nanoseconds, rate(rates.ipc), rate(rates.ghz)};
        for (size_t c = 0; c < names_.size(); ++c)
            row.emplace_back(c < sums.of.size() ? sums.of[c] : WideSum());
        table.rows.push_back(std::move(row));
    }
}

void CounterProfile::add_places(DataTable& table, const Cell& rank, const ProcessCounters& process) const {
    std::vector<Place> functions, regions, constructs;
    for (const auto& [function, sums] : process.by_function) {
        const std::string name = function ? std::string(function->name) : "outside of MPI";
        functions.push_back({"function", name, name, &sums});
    }
    for (const auto& [region, sums] : process.by_region) {
        const std::string name = region == 0 ? "" : name_of_region(region);
        regions.push_back({"region", name, region == 0 ? "in no region" : "region " + name, &sums});
    }
    for (const auto& [construct, sums] : process.by_construct)
        constructs.push_back({construct.kind.empty() ? "outside" : std::string(construct.kind),
                              one_line(construct.label), text_of_construct(construct), &sums});
    const bool has_regions = regions.size() > 1 || !process.by_region.contains(0);
    const bool has_constructs = constructs.size() > 1 || !process.by_construct.contains({});
    add_rows(table, rank, std::move(functions));
    if (has_regions) add_rows(table, rank, std::move(regions));
    if (has_constructs) add_rows(table, rank, std::move(constructs));
}

void CounterProfile::add_threads(DataTable& table, const ProfiledProcess& key,
                                 const ProcessCounters& process) const {
    std::vector<Place> threads;
    for (const auto& [tid, sums] : process.by_thread) {
        const auto own = threads_.find({key, tid});
        const std::string tid_and_name =
            std::to_string(tid) + (own == threads_.end() ? "" : " " + one_line(own->second));
        threads.push_back({"thread", tid_and_name, "thread " + tid_and_name, &sums});
    }
    if (threads.size() > 1) add_rows(table, rank_cell(key, processes_), std::move(threads));
}

std::vector<DataColumn> CounterProfile::columns() const {
    std::vector<DataColumn> columns{rank_column(8),
                                    data_column("kind"),
                                    data_column("name"),
                                    text_column("", "function, region, thread", 28),
                                    time_column("time_ns", "seconds", 14),
                                    rate_column("instructions_per_cycle", "IPC"),
                                    rate_column("ghz", "GHz")};
    constexpr size_t least = 14;
    for (const std::string& name : names_)
        columns.push_back(number_column(one_line(name), one_line(name), std::max(name.size(), least)));
    return columns;
}

std::vector<DataTable> CounterProfile::tables() const {
    ProcessCounters sums;
    DataTable all{"all", columns()}, by_rank{"by_rank", columns()};
    by_rank.form = DataTable::Form::rows;
    for (const auto& [key, process] : processes_) {
        for (const auto& [function, of] : process.by_function) sums.by_function[function] += of;
        for (const auto& [region, of] : process.by_region) sums.by_region[region] += of;
        for (const auto& [construct, of] : process.by_construct) sums.by_construct[construct] += of;
        add_places(by_rank, rank_cell(key, processes_), process);
        add_threads(by_rank, key, process);
    }
    add_places(all, {}, sums);
    return {std::move(all), std::move(by_rank)};
}

}  // namespace ovni
