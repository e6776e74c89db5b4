// The end of ovnisync by a signal: complete rows are kept under the name of their table, and unfinished files
// are removed.
#pragma once

#include <csignal>
#include <filesystem>

#include "base/file.hpp"

namespace ovni::sync {

// During its lifetime SIGINT, SIGTERM and SIGHUP tidy up, and then end the process as usual. Only one may
// exist at a time.
class Interruption {
 public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // A signal removes this file. At most three files.
    void remove(const OutputFile& file);
    // From now on a signal gives the first file its final name.
    void keep_first();

 private:
    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before_[std::size(signals)];
};

}  // namespace ovni::sync
