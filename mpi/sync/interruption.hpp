// The end of ovnisync by a signal: complete rows stay, under the name of their table, and unfinished files
// go.
#pragma once

#include <csignal>
#include <filesystem>

#include "base/file.hpp"

namespace ovni::sync {

// During its lifetime SIGINT, SIGTERM and SIGHUP tidy up, and then end the process as usual. One at a time.
class Interruption {
 public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // A signal removes this file. Three at most.
    void remove(const OutputFile& file);
    // From now on a signal gives the first file its final name.
    void keep_first();

 private:
    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before_[std::size(signals)];
};

}  // namespace ovni::sync
