#include "cut/trace_part.hpp"

#include <utility>

#include "cut/cut_trace.hpp"

namespace ovni {

TracePart::TracePart(std::filesystem::path trace, const CutOptions& options,
                     const std::filesystem::path& beside)
    : trace_(std::move(trace)), clock_table_(options.clock_table) {
    if (options.focus.is_whole()) return;
    const TraceCut cut(Trace::open(trace_), options);
    private_ = std::make_unique<PrivateDirectory>(beside);
    cut_ = cut.write(private_->open_path());
}

Trace TracePart::open(Metadata metadata) const {
    return private_ ? Trace::open_copy(private_->path(), trace_, metadata) : Trace::open(trace_, metadata);
}

ClockSources TracePart::clock_sources() const {
    ClockSources found = ClockSources::find(clock_table_, {files()});
    found.name_as_in(trace_);
    return found;
}

std::string sentence_of(const CutSummary& cut, const std::filesystem::path& trace) {
    return fmt::format("a part of {}: {} of {} streams, {} events; time 0 is at {} ns of the whole",
                       trace.string(), cut.streams, cut.all_streams, cut.events, cut.begin);
}

}  // namespace ovni
