// One buffer for all threads: the drainer's side. One reader works at a time. Another reader can take over
// from the state in the buffer, and gets records again that were not released.
//
//     SharedReader reader;
//     reader.open(buffer);
//     while (!reader.is_drained() || producers_live()) {
//         reader.read([&](const SharedRecord& record) { ... });
//         reader.release();              // what was read is safe; its space goes back to the producers
//         reader.sleep(1'000'000);
//     }
//
// Records come in the order in which their space was reserved. So records of a thread come in the order of
// its calls; the record of a handler may come before or after the one that it interrupted. An uncommitted
// record holds up later ones while a thread lives that may be writing it. After that its space is counted as
// lost, at the second call of read() that finds it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ovni/event_code.hpp"
#include "ring/shared_buffer.hpp"

namespace ovni::writer {

struct SharedRecord {
    EventCode code;
    bool is_jumbo;
    uint64_t clock;
    uint32_t pid, tid;                 // or the halves of the sender set by sign()
    uint64_t at;                       // its position
    uint32_t lost_before;              // records lost by its thread before: discarded or left by a jump
    std::span<const uint8_t> payload;  // valid until the next record
};

// Appends the event as stream.obs has it: 12 bytes and the payload; for a jumbo 16 bytes and the data.
void append_event(const SharedRecord& record, std::vector<uint8_t>& stream);

// True unless /proc proves that the thread that had this id at `at_ns` (CLOCK_BOOTTIME of the machine; 0:
// any) has ended.
bool thread_lives(uint32_t pid, uint32_t tid, uint64_t at_ns) noexcept;

class SharedReader {
 public:
    // True if the thread that opened its seat at `opened_ns` still runs.
    using Lives = bool (*)(uint32_t pid, uint32_t tid, uint64_t opened_ns) noexcept;

    // False if there is no memory.
    bool open(const SharedBuffer& buffer, Lives whether_lives = thread_lives) noexcept;

    // Hands out complete records that begin before `until`, as const SharedRecord&. Returns how many.
    template <class Deliver>
    size_t read(Deliver&& deliver, size_t at_most = SIZE_MAX, uint64_t until = UINT64_MAX) {
        size_t count = 0;
        SharedRecord record;
        for (; count < at_most && next_ < until && next(record); ++count) deliver(record);
        return count;
    }
    void release() noexcept;
    // Records before this position were delivered or skipped.
    uint64_t position() const noexcept { return next_; }
    // Call if the threads are known to be dead, even if /proc shows their ids.
    void forget_lives() noexcept {
        lives_ = [](uint32_t, uint32_t, uint64_t) noexcept { return false; };
    }
    // True if nothing is reserved behind the last record read.
    bool is_drained() const noexcept;
    // Sleeps until the buffer is half full, at most `nanoseconds`; less if an uncommitted record holds others
    // up.
    void sleep(int64_t nanoseconds) noexcept;

 private:
    // The threads that may have reserved the space at next_.
    struct Claimants {
        bool has_living = false;
        uint64_t smallest = UINT64_MAX, largest = 0;  // space
    };

    bool next(SharedRecord& record) noexcept;
    bool is_reserved(uint64_t end) noexcept;
    bool take(SharedRecord& record) noexcept;
    bool pass_unwritten() noexcept;
    bool find_next_record() noexcept;
    bool is_record(uint64_t at) noexcept;
    bool is_boundary(uint64_t at) noexcept;
    bool is_claimed(uint64_t at) const noexcept;
    Claimants claimants() const noexcept;
    uint64_t space_of_the_dead(const Claimants& claimants) noexcept;
    template <class Use>
    void for_claims_at(uint64_t at, Use use) const;
    bool lives(const SharedSeat& seat) const noexcept;
    bool somebody_lives() const noexcept;
    void clear_up_to(uint64_t end) noexcept;
    void take_back_seats() noexcept;

    SharedBuffer buffer_;
    Lives lives_ = thread_lives;
    std::unique_ptr<uint64_t[]> record_;  // the words of one record
    uint64_t next_ = 0;
    uint64_t reserved_ = 0;  // last value seen: producers compete for that cache line
    uint64_t stuck_at_ = UINT64_MAX;
    bool has_passed_dead_ = false;
};

}  // namespace ovni::writer
