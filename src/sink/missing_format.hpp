// An output that this build cannot make, because a library is missing.
#pragma once

#include <string>
#include <utility>

#include "base/error.hpp"
#include "sink/sink.hpp"

namespace ovni {

class MissingFormat : public Sink {
 public:
    // `why`: the option, and what the build lacks.
    explicit MissingFormat(std::string why) : why_(std::move(why)) {}
    void begin(const Ranks& ranks, const Plan& /*plan*/) override {
        ranks.agree([&] {
            if (ranks.is_root()) throw UsageError(why_);
        });
    }
    void write(const Slice& /*slice*/) override {}
    void end(const Outcome& /*outcome*/) override {}

 private:
    std::string why_;
};

}  // namespace ovni
