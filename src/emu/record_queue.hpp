// Records on their way from the emulator to a sink. They are appended in the order of events; a punctual
// state begins 1 ns before the event that makes it, so a record may lie behind its predecessor: the queue
// puts them into the order of (time, order) and hands out only those that nothing can overtake any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emu/record.hpp"

namespace ovni {

class RecordQueue {
 public:
    void append(const Record& record) {
        if (!records_.empty() && in_order(record, records_.back())) [[unlikely]]
            sorted_ = false;
        records_.push_back(record);
    }
    size_t size() const { return records_.size(); }
    // Drops what was appended since the queue had that size.
    void rewind(size_t size) { records_.resize(size); }
    std::vector<Record>& records() { return records_; }

    // Removes and returns the records before `time`, in order.
    std::vector<Record> take_before(int64_t time);

 private:
    std::vector<Record> records_;
    bool sorted_ = true;
};

}  // namespace ovni
