#include "mpi/emu/cut_for_all.hpp"

#include "session/command/cut_part.hpp"

namespace ovni {

std::unique_ptr<TracePart> cut_for_all(const Comm& comm, EmulationOptions& options) {
    if (options.focus.is_whole()) return nullptr;
    std::unique_ptr<TracePart> part =
        comm.agree([&] { return comm.is_root() ? cut_part(options) : nullptr; });
    const std::string files = comm.broadcast(options.files().string());
    const CutSummary cut = comm.broadcast(options.part ? options.part->cut : CutSummary());
    options.part = {files, cut};
    return part;
}

}  // namespace ovni
