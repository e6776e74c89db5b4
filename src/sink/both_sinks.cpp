#include "sink/both_sinks.hpp"

namespace ovni {

void BothSinks::begin(const Schema& schema) {
    first_.begin(schema);
    second_.begin(schema);
}

void BothSinks::write(std::span<const Record> records) {
    first_.write(records);
    second_.write(records);
}

void BothSinks::write_breakdown(size_t which, std::span<const Record> lines) {
    first_.write_breakdown(which, lines);
    second_.write_breakdown(which, lines);
}

void BothSinks::end(const Schema& schema, int64_t duration, Ending ending) {
    first_.end(schema, duration, ending);
    second_.end(schema, duration, ending);
}

}  // namespace ovni
