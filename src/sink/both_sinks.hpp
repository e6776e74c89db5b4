// The same records to two sinks.
#pragma once

#include "sink/sink.hpp"

namespace ovni {

class BothSinks : public Sink {
 public:
    BothSinks(Sink& first, Sink& second) : first_(first), second_(second) {}
    void begin(const Schema& schema) override;
    void write(std::span<const Record> records) override;
    void write_breakdown(size_t which, std::span<const Record> lines) override;
    void end(const Schema& schema, int64_t duration, Ending ending) override;

 private:
    Sink &first_, &second_;
};

}  // namespace ovni
