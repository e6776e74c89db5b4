// The loops of the benchmark of the writer around a *probe*: what emits one event or does something to
// compare with. A probe is copyable and has begin() and end(), called by its thread before and after all
// loops, and operator()(number), numbers ascending by one from 0.
#pragma once

#include <cstdint>
#include <memory>

#include "tests/bench/writer/clocks.hpp"
#include "tests/bench/writer/histogram.hpp"
#include "tests/bench/writer/work.hpp"

namespace ovni::bench {

class Loops {
 public:
    virtual ~Loops() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual void tight(uint64_t events) = 0;
    virtual void in_work(uint64_t events) = 0;
    virtual void timed(uint64_t events, Histogram& histogram) = 0;
};

template <class Probe>
class LoopsOf final : public Loops {
 public:
    void begin() override { probe_.begin(); }
    void end() override { probe_.end(); }

    // The probe is copied, so that its members can be in registers.
    void tight(uint64_t events) override {
        Probe probe = probe_;
        for (uint64_t last = number_ + events; number_ < last; ++number_) probe(number_);
        probe_ = probe;
    }
    void in_work(uint64_t events) override {
        Probe probe = probe_;
        for (uint64_t last = number_ + events; number_ < last; ++number_) {
            work_.step();
            probe(number_);
        }
        probe_ = probe;
    }
    void timed(uint64_t events, Histogram& histogram) override {
        Probe probe = probe_;
        for (uint64_t last = number_ + events; number_ < last; ++number_) {
            uint64_t before = ticks();
            probe(number_);
            histogram.add(ticks() - before);
        }
        probe_ = probe;
    }

 private:
    Probe probe_{};
    Work work_;
    uint64_t number_ = 0;
};

// A probe by name. `bytes`: an event's, 12 or 28, which the store that it is compared with takes too. open
// and close: of the process, or null.
struct Variant {
    const char* name;
    unsigned bytes;
    std::unique_ptr<Loops> (*loops)();
    void (*open)() = nullptr;
    void (*close)() = nullptr;
};

template <class Probe>
std::unique_ptr<Loops> loops_of() {
    return std::make_unique<LoopsOf<Probe>>();
}

}  // namespace ovni::bench
