// Where records go. One implementation per output format; a sink knows nothing of events, models or MPI.
#pragma once

#include <cstdint>
#include <span>

#include "emu/record.hpp"
#include "emu/schema.hpp"

namespace ovni {

enum class Ending : uint8_t {
    complete,     // outputs get their names
    interrupted,  // so they do, but end before the trace; where there is room to say so, they do
    partial       // an event was wrong: what was written so far is kept under names with ".partial" in them
};

class Sink {
 public:
    virtual ~Sink() = default;
    // Rows are final; types and labels may still be added until end().
    virtual void begin(const Schema& schema) = 0;
    // Records in the order of their keys.
    virtual void write(std::span<const Record> records) = 0;
    // Lines of Schema::breakdowns[which], in order.
    virtual void write_breakdown(size_t which, std::span<const Record> lines) = 0;
    // `duration`: time of the last event, ns.
    virtual void end(const Schema& schema, int64_t duration, Ending ending) = 0;
};

}  // namespace ovni
