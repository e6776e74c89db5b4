// Records on their way from the emulator to a sink. They are appended in the order of events; a punctual
// state begins 1 ns before the event that makes it, so a record may lie behind its predecessor: the queue
// puts them into the order of (time, order) and hands out only those that no later record can precede.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/records/record_buffer.hpp"

namespace ovni {

class RecordQueue {
 public:
    // Appends a record that is not before the last one.
    void append(const Record& record) { records_.append(record); }
    // The beginning of a punctual state, which may lie before the last one.
    void insert(const Record& record) {
        punctual_ = true;
        append(record);
    }
    size_t size() const { return records_.size(); }
    // Drops what was appended since the queue had that size.
    void rewind(size_t size) { records_.truncate(size); }

    static constexpr int64_t everything = INT64_MAX;
    // Replaces the content of `taken` by the records before `time`, in order, without those of events after
    // `end`.
    void take_before(int64_t time, RecordBuffer& taken, Moment end = end_of_trace);
    RecordBuffer take_before(int64_t time) {
        RecordBuffer taken;
        take_before(time, taken);
        return taken;
    }

 private:
    RecordBuffer records_;
    bool punctual_ = false;  // any in the queue?
};

}  // namespace ovni
