#include "emu/plan/row_names.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"

namespace ovni {

std::string name_of_thread_row(const Stream& stream, int app, std::optional<int> rank, RowNames names) {
    const StreamMetadata& metadata = stream.metadata;
    std::string name = fmt::format("TH {}.{}", app, metadata.tid);
    if (const bool is_ours = metadata.common->run.has_value(); is_ours && names == RowNames::ranks) {
        if (rank) name = fmt::format("rank {} {} {}", *rank, one_line(host_of(metadata)), name);
        if (!metadata.name->empty()) name += " thread " + one_line(*metadata.name);
    }
    if (stream.is_cut) return name + " (incomplete)";
    return stream.is_running ? name + " (running)" : name;
}

}  // namespace ovni
