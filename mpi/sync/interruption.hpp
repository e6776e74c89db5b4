// What ovnisync leaves behind when a signal ends it: rows that are complete, under the name of their table,
// and none of its unfinished files.
#pragma once

#include <csignal>
#include <filesystem>

#include "base/file.hpp"

namespace ovni::sync {

// One at a time. While it is there, SIGINT, SIGTERM and SIGHUP tidy up, and then end the process as ever.
class Interruption {
 public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // To be removed. Three at most.
    void remove(const OutputFile& file);
    // From now on that of the first one is to get its name.
    void keep_first();

 private:
    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before_[std::size(signals)];
};

}  // namespace ovni::sync
