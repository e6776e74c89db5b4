// The layout of a buffer that the threads of one or several processes share with the drainer that reads it: a
// header, one seat per thread, and the data area, a ring of records. Positions in the data area only grow;
// only word_at() takes them modulo the capacity. Free memory is zero. The first word of a record is its
// commit word: it is stored last, and is never zero.
//
//   beg_read <= freed .. reserved <= freed + capacity
//
// The reader owns beg_read, where it reads next, and freed, up to which the space is zero and available
// again. Producers move reserved. Only the commit words show which records are complete.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ovni::writer {

// Two cache lines: processors fetch them in pairs.
inline constexpr size_t shared_line = 128;

enum class SharedOnFull : uint32_t { wait, discard };

// The number of nested emissions in a thread: the outermost, and those of signal handlers that interrupt one.
inline constexpr unsigned shared_levels = 3;

// The space that a thread is about to reserve, until its record is committed. Only the claim shows a record
// whose thread died before that. One word, so it changes atomically; zero: none.
struct Claim {
    uint64_t at;
    uint64_t space;

    static constexpr uint64_t space_limit = uint64_t{8} << 16;
    constexpr uint64_t packed() const { return at / 8 << 16 | space / 8; }
    static constexpr Claim unpack(uint64_t word) { return {(word >> 16) * 8, (word & 0xffff) * 8}; }
};

// The seat of one thread. Taken and left by the thread, or taken back by the reader if the thread is dead.
struct alignas(shared_line) SharedSeat {
    std::atomic<uint64_t> owner;   // pid in the upper half, thread id in the lower; 0: free
    std::atomic<uint64_t> opened;  // CLOCK_BOOTTIME of the machine; distinguishes later threads with this id
    std::atomic<uint32_t> abandoned;  // 1: the thread lives, but its claims are void
    std::array<std::atomic<uint64_t>, shared_levels> claims;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what different sides write lies apart
struct SharedHeader {
    std::atomic<uint64_t> magic;  // stored last
    uint32_t version;
    uint32_t seats;
    uint64_t capacity;  // bytes of the data area, a power of two
    SharedOnFull on_full;
    uint32_t patience_ms;  // how long a producer waits for a reader that frees nothing
    uint64_t kept;         // bytes reserved for needed events

    alignas(shared_line) std::atomic<uint64_t> reserved;

    alignas(shared_line) std::atomic<uint64_t> freed;
    std::atomic<uint32_t> room_wanted;
    std::atomic<uint32_t> room_futex;

    alignas(shared_line) std::atomic<uint64_t> beg_read;
    std::atomic<uint64_t> lost_records;   // records that dead threads began and did not commit
    std::atomic<uint64_t> lost_bytes;     // space of these records
    std::atomic<uint64_t> damaged_bytes;  // bytes without a record of correct checksum
    std::atomic<uint32_t> reader_sleeps;
    std::atomic<uint32_t> data_futex;

    alignas(shared_line) std::atomic<uint64_t> discarded;  // records that were not written
    std::atomic<uint32_t> seats_wanted;
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// A record: these words, then the payload, padded to whole words.
enum RecordWord : size_t {
    record_commit,  // u32 bytes without padding, u32 checksum
    record_clock,
    record_thread,  // SharedSeat::owner, or the sender set by sign()
    record_code,    // u24 event code (model, category, value), u8 flags, u32 records lost before this one
    record_words
};
inline constexpr uint32_t record_header_bytes = 8 * record_words;
inline constexpr uint64_t record_jumbo = uint64_t{1} << 24;

constexpr uint64_t space_of(uint64_t bytes) {
    return (bytes + 7) & ~uint64_t{7};
}

}  // namespace ovni::writer
