// Records on their way from the emulator to a sink. They are appended in the order of events; a punctual
// state begins 1 ns before the event that makes it, so a record may lie behind its predecessor: the queue
// puts them into the order of (time, order) and hands out only those that nothing can overtake any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "emu/record.hpp"

namespace ovni {

class RecordQueue {
 public:
    // In the order of events: not before the last one.
    void append(const Record& record) { records_.push_back(record); }
    // Anywhere.
    void insert(const Record& record) {
        sorted_ = false;
        append(record);
    }
    size_t size() const { return records_.size(); }
    // Drops what was appended since the queue had that size.
    void rewind(size_t size) { records_.resize(size); }
    // Drops the last record for which that holds; there is one.
    template <class Predicate>
    void erase_last(Predicate holds) {
        auto last = std::find_if(records_.rbegin(), records_.rend(), holds);
        records_.erase(std::next(last).base());
    }

    // Moves the records before `time` into `taken`, in order, replacing what is there.
    void take_before(int64_t time, std::vector<Record>& taken);
    std::vector<Record> take_before(int64_t time) {
        std::vector<Record> taken;
        take_before(time, taken);
        return taken;
    }

 private:
    std::vector<Record> records_;
    bool sorted_ = true;
};

}  // namespace ovni
