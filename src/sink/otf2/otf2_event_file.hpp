// The events of one location on their way into its file: their times never go back, and they are counted.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>

#include "sink/otf2/otf2_archive.hpp"

namespace ovni {

class Otf2EventFile {
 public:
    // `archive` outlives this.
    Otf2EventFile(Otf2Archive& archive, uint64_t location)
        : archive_(archive), writer_(archive.events_of(location)) {}

    // A message may arrive before it is sent, if clocks are wrong.
    uint64_t at(int64_t time) {
        last_ = std::max(last_, static_cast<uint64_t>(std::max(time, int64_t{0})));
        return last_;
    }
    // write(writer, no attributes, time, values...) is a function of the library. Throws Error.
    template <class Write, class... Values>
    void add(Write write, int64_t time, const Values&... values) {
        archive_.check(write(writer_, nullptr, at(time), values...));
        ++events_;
    }
    uint64_t events() const { return events_; }
    uint64_t last_time() const { return last_; }

 private:
    Otf2Archive& archive_;
    OTF2_EvtWriter* writer_;
    uint64_t events_ = 0, last_ = 0;
};

}  // namespace ovni
