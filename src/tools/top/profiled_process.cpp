#include "tools/top/profiled_process.hpp"

#include <fmt/format.h>

namespace ovni {

ProfiledProcess process_of(const Stream& stream) {
    const StreamMetadata& about = stream.metadata;
    return {about.process->app_id.value_or(0), about.process->rank.value_or(-1), about.process->pid,
            about.common->loom};
}

Cell rank_cell(const ProfiledProcess& process, Applications applications) {
    if (applications == Applications::one && process.rank >= 0) return process.rank;
    const std::string name =
        process.rank < 0 ? fmt::format("pid {}", process.pid) : fmt::format("{}", process.rank);
    return applications == Applications::one ? name : fmt::format("{}.{}", process.app, name);
}

DataColumn rank_column(size_t width) {
    DataColumn column = text_column("rank", "rank", width);
    column.text.empty = "all";
    return column;
}

}  // namespace ovni
