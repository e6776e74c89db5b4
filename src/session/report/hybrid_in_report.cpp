#include "session/report/hybrid_in_report.hpp"

#include <string>

#include "emu/plan/plan.hpp"
#include "session/report/waits_in_report.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

void put_times(Json& into, const UseTimes& times) {
    for (size_t use = 0; use < use_count; ++use) into[std::string(use_names[use])] = times[use];
}

Json efficiency_in(const HybridEfficiency& of, const std::map<int64_t, std::string>& regions) {
    Json entry{{"region", region_name(of.region, regions)},
               {"processes", of.processes},
               {"threads", of.threads},
               {"runtime", of.runtime},
               {"parallel_efficiency", of.parallel()},
               {"mpi_parallel_efficiency", of.mpi_parallel()},
               {"mpi_load_balance", of.mpi_balance},
               {"mpi_communication_efficiency", of.mpi_communication()},
               {"thread_efficiency", of.threads_parallel()}};
    for (const FactorRow& row : hybrid_factors) entry[std::string(row.key)] = of.factor(row.use);
    return entry;
}

Json line_of(int64_t value, const std::map<int64_t, std::string>& labels,
             const std::map<std::string, std::string>& lines) {
    const auto label = labels.find(value);
    const auto line = label == labels.end() ? lines.end() : lines.find(label->second);
    return line == lines.end() ? Json() : Json(line->second);
}

}  // namespace

std::vector<HybridEfficiency> hybrid_efficiencies_of(const ReportContent& content) {
    static const std::vector<Efficiency> none;
    // Uses end at the error, runs do not.
    if (content.error) return {};
    return hybrid_efficiencies(content.uses.processes,
                               content.traffic ? content.traffic->efficiencies.all : none);
}

std::map<int64_t, std::string> labels_of_parallel_regions(const FileSchema& threads) {
    std::map<int64_t, std::string> labels;
    for (const EventType& type : threads.types)
        if (type.type == prv_type::openmp_region)
            for (const auto& [value, label] : type.labels.all()) labels.emplace(value, label);
    return labels;
}

std::map<std::string, std::string> lines_of_labels(const ReportContent& content) {
    std::map<std::string, std::string> lines;
    for (const LabelCode& of : content.code_of_labels)
        if (const CodeLines::Line found = content.lines.of(of.code); !found.line.empty())
            lines.try_emplace(of.label, found.line);
    return lines;
}

Json hybrid_in(const std::vector<HybridEfficiency>& all, const ReportContent& content, const Trace& trace,
               const System& system, const FileSchema& threads) {
    if (all.empty()) return {};
    const ThreadUseFacts& uses = content.uses;
    const std::map<std::string, std::string> lines = lines_of_labels(content);
    const std::map<int64_t, std::string> regions = names_of_regions(threads);
    const std::map<int64_t, std::string> labels = labels_of_parallel_regions(threads);
    Json efficiencies = Json::array(), processes = Json::array(), constructs = Json::array();
    Json left_out = Json::array();
    for (const HybridEfficiency& of : all) efficiencies.push_back(efficiency_in(of, regions));
    for (const ProcessUse& use : uses.processes) {
        Json& entry = processes.emplace_back(Json{{"process", use.process},
                                                  {"region", region_name(use.region, regions)},
                                                  {"threads", use.threads},
                                                  {"elapsed", use.elapsed}});
        put_times(entry, use.times);
    }
    for (const ConstructUse& use : uses.constructs) {
        Json& entry = constructs.emplace_back(Json{{"process", use.process},
                                                   {"label", region_name(use.label, labels)},
                                                   {"line", line_of(use.label, labels, lines)},
                                                   {"threads", use.threads},
                                                   {"visits", use.visits},
                                                   {"elapsed", use.elapsed}});
        put_times(entry, use.times);
    }
    for (const SleepingThread& thread : uses.sleepers)
        left_out.push_back(
            {{"stream", trace.streams()[system.threads()[thread.thread_row].stream].relative_path()},
             {"process", thread.process},
             {"life", thread.life},
             {"sleep", thread.asleep}});
    return {{"efficiencies", std::move(efficiencies)},
            {"processes", std::move(processes)},
            {"parallel_regions", std::move(constructs)},
            {"left_out", std::move(left_out)}};
}

}  // namespace ovni
