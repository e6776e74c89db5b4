#include "session/command/outputs_check.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/outputs.hpp"
#include "core/stream_crc.hpp"
#include "emu/plan/trace_plan.hpp"
#include "sink/output_names.hpp"
#include "trace/clock_sources.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

std::vector<Output> outputs_of(const EmulationOptions& options) {
    std::vector<Output> outputs;
    if (options.writes_to_directory()) outputs.push_back({OutputKind::directory, "-o", options.output});
    if (!options.leaves_out_prv)
        outputs.push_back({OutputKind::directory, "the directory", options.output / "cfg"});
    auto add = [&](OutputKind kind, const std::string& option, const fs::path& path) {
        outputs.push_back({kind, option, path});
        outputs.push_back(
            {kind, fmt::format("the partial file of {}", option), output_path(path, Ending::partial)});
    };
    for (const ChosenOutput& chosen : options.outputs)
        if (!chosen.format->own_name)
            add(chosen.format->kind, fmt::format("--{}", chosen.format->option.name), chosen.path);
    if (options.report) add(OutputKind::file, "--report", *options.report);
    if (options.statistics) outputs.push_back({OutputKind::file, "--statistics", *options.statistics});
    std::vector<std::string> names;
    if (!options.leaves_out_prv) names = {"thread", "cpu"};
    for (const ModelSpec* model : all_models())
        if (model->breakdown && options.breakdowns == Breakdowns::yes)
            names.push_back(breakdown_name(*model));
    for (const ChosenOutput& chosen : options.outputs)
        if (chosen.format->own_name) names.emplace_back(chosen.format->own_name);
    for (const std::string& name : names)
        for (const char* extension : {".prv", ".pcf", ".row"})
            for (Ending ending : {Ending::complete, Ending::partial})
                outputs.push_back(
                    {OutputKind::file, "the output", output_path(options.output, name, extension, ending)});
    return outputs;
}

std::vector<Input> inputs_of(const EmulationOptions& options) {
    std::vector<Input> inputs;
    if (options.clock_table) inputs.push_back({"-c", *options.clock_table});
    for (const char* name : {clock_file_name, clock_table_name}) {
        inputs.push_back({"the clocks of the trace,", options.trace / name});
        if (options.storage == Storage::node_local)
            inputs.push_back({"the clocks of the trace,", options.output / name});
    }
    return inputs;
}

// An output named like a file of a stream, next to other such files or in the trace, would be taken for it.
void refuse_stream_file(const Output& output, const fs::path& trace) {
    constexpr std::array names = {metadata_name, events_name, gaps_name, stream_crc_name};
    fs::path path = resolved(output.path);
    if (std::ranges::find(names, path.filename().string()) == names.end()) return;
    std::error_code fault;
    bool is_beside = std::ranges::any_of(names, [&](const char* name) {
        return path.filename() != name && fs::exists(path.parent_path() / name, fault);
    });
    if (is_beside || is_inside(path, trace))
        throw Error(fmt::format("{} would be the {} of a stream", output.what, path.string()), output.path);
}

}  // namespace

void check_outputs(const EmulationOptions& options) {
    const std::vector<Output> outputs = outputs_of(options);
    check_outputs(outputs, inputs_of(options));
    for (const Output& output : outputs)
        if (output.kind == OutputKind::file) refuse_stream_file(output, options.trace);
}

}  // namespace ovni
