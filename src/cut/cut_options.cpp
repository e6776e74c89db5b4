#include "cut/cut_options.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "model/model_spec.hpp"

namespace ovni {

std::vector<bool> chosen_streams(const Trace& trace, const System& system, const CutOptions& options) {
    std::vector<bool> chosen = streams_of(options.focus, trace);
    std::set<std::string> looms = options.looms;
    for (const ThreadInfo& thread : system.threads()) {
        const std::string& loom = system.looms()[thread.loom].name;
        if (!options.looms.empty() && !options.looms.contains(loom)) chosen[thread.stream] = false;
        looms.erase(loom);
    }
    if (!looms.empty()) throw Error(fmt::format("there is no loom '{}'", *looms.begin()), trace.directory());
    return chosen;
}

bool shows_idle_cpus(const Trace& trace, const CutOptions& options) {
    auto shows = [&](const auto& required) {
        const ModelSpec* model = find_model(required.first);
        return model && options.keeps_model(model->id) &&
               std::ranges::any_of(model->channels, [](const auto& c) { return c.cpu_default != 0; });
    };
    return std::ranges::any_of(trace.streams(), [&](const Stream& stream) {
        return std::ranges::any_of(stream.metadata.common->require, shows);
    });
}

}  // namespace ovni
