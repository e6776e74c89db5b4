// Names of processes in tables: "rank 3"; in a trace of several worlds "rank 2.3", where 2 is the
// application; "pid 17" for a process without a rank.
#pragma once

#include <cstdint>
#include <string>

#include "emu/plan/system.hpp"

namespace ovni {

class RankNames {
 public:
    explicit RankNames(const System& system);
    // "rank 3"
    std::string full(uint32_t process) const;
    // "3"
    std::string brief(uint32_t process) const;

 private:
    const System& system_;
    bool has_worlds_;
};

}  // namespace ovni
