#include "session/command/cut_part.hpp"

#include "base/log.hpp"
#include "base/outputs.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"

namespace ovni {

std::unique_ptr<TracePart> cut_part(EmulationOptions& options) {
    if (options.focus.is_whole()) return nullptr;
    expect_begun(options.trace);
    refuse_part_of_trace(options.trace);
    std::filesystem::path beside = resolved(options.output);
    beside += ".part";
    auto part = std::make_unique<TracePart>(
        options.trace, CutOptions{options.focus, {}, {}, options.clock_table, options.regions}, beside);
    options.part = {part->files(), *part->cut()};
    log::info("{}", sentence_of(*part->cut(), options.trace));
    return part;
}

}  // namespace ovni
