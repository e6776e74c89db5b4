// Lets the events of an open stream wait until they are worth a block: small blocks of a packed stream are
// larger in sum. A ring that needs room, a request for the events, and the end of the stream do not wait.
#pragma once

#include <cstdint>

#include "drain/drained_ring.hpp"

namespace ovni::writer {

// none: no event waits, since this drainer does not come back.
enum class Patience : uint8_t { usual, none };

class BlockDelay {
 public:
    explicit BlockDelay(const DrainedRing& ring) : ring_(ring) {}

    // True if the events before `published` fill a block, or were not written for long, or if notes or
    // handlers' events need room; of a plain stream always. The first call begins the time.
    bool is_over(uint64_t published);
    // Call when all events are written.
    void begin();
    // Resets the state for another stream.
    void start_over() { begun_ = 0; }

 private:
    const DrainedRing& ring_;
    uint64_t begun_ = 0;  // by the monotonic clock; 0: not yet
};

}  // namespace ovni::writer
