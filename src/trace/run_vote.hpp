// The streams that say what run a trace is of: those of ranks and of programs with MPI if there are any, as
// MPI_Init gives the run its name. The others, of a shell or another wrapper that was killed before it learnt
// the name, go with them.
#pragma once

#include <algorithm>
#include <span>

#include "trace/trace.hpp"

namespace ovni {

class RunVote {
 public:
    explicit RunVote(std::span<const Stream> streams)
        : has_jobs_(std::ranges::any_of(streams,
                                        [](const Stream& stream) { return is_of_job(stream.metadata); })) {}
    // False if the stream names no run as well.
    bool counts(const StreamMetadata& stream) const {
        return stream.common->run.has_value() && (!has_jobs_ || is_of_job(stream));
    }

 private:
    static bool is_of_job(const StreamMetadata& stream) {
        return stream.common->run && (stream.process->rank || stream.common->require.contains("mpi"));
    }

    bool has_jobs_;
};

}  // namespace ovni
