// The streams that decide which run a trace is of: those of ranks and of programs with MPI if there are any,
// as MPI_Init gives the run its name. Other streams may be of a shell or wrapper that was killed before it
// learnt the name, and go with them.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "core/run_names.hpp"
#include "trace/trace.hpp"

namespace ovni {

class RunVote {
 public:
    explicit RunVote(std::span<const Stream> streams) {
        for (const Stream& stream : streams)
            if (const auto& run = stream.metadata.common->run) {
                runs_.insert(*run);
                has_jobs_ = has_jobs_ || is_of_job(stream.metadata);
            }
    }
    // False if the stream names no run as well, or only the stem of one (core/run_names.hpp).
    bool counts(const StreamMetadata& stream) const {
        const auto& run = stream.common->run;
        return run && (!has_jobs_ || is_of_job(stream)) && !has_longer(*run);
    }

 private:
    static bool is_of_job(const StreamMetadata& stream) {
        return stream.process->rank || stream.common->require.contains("mpi");
    }
    bool has_longer(const std::string& run) const {
        return std::ranges::any_of(runs_, [&](const std::string& other) { return is_stem_of(run, other); });
    }

    std::set<std::string> runs_;
    bool has_jobs_ = false;
};

}  // namespace ovni
