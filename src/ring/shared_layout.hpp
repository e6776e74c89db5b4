// The layout of a buffer that the threads of one or several processes share with the drainer that reads it: a
// header, one seat per thread, and the data area, a ring of records. Positions in the data area only grow;
// only word_at() knows what they mean modulo the capacity. Memory is zero until a record is in it. The first
// word of a record is its commit: it is stored last, and is never zero.
//
//   beg_read <= freed .. reserved <= freed + capacity
//
// The reader owns beg_read, where it reads next, and freed, up to which the space is clean and available
// again. Producers move reserved. Committed words, no counter, say what is written.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ovni::writer {

// Two cache lines: processors fetch them in pairs.
inline constexpr size_t shared_line = 128;

enum class SharedOnFull : uint32_t { wait, discard };

// How deep signal handlers may interrupt an emission and emit themselves, the interrupted one included.
inline constexpr unsigned shared_levels = 3;

// The space that a thread is about to reserve, until the record in it is committed: the only trace of a
// record whose thread died early. One word, so it is never seen half changed; zero is none.
struct Claim {
    uint64_t at;
    uint64_t space;

    static constexpr uint64_t space_limit = uint64_t{8} << 16;
    constexpr uint64_t packed() const { return at / 8 << 16 | space / 8; }
    static constexpr Claim unpack(uint64_t word) { return {(word >> 16) * 8, (word & 0xffff) * 8}; }
};

// One thread. Taken and left by the thread, or taken back by the reader when the thread is dead.
struct alignas(shared_line) SharedSeat {
    std::atomic<uint64_t> owner;  // pid in the upper half, thread id in the lower; 0: free
    std::atomic<uint64_t>
        opened;  // CLOCK_BOOTTIME of the machine, tells a thread from a later one of the same id
    std::atomic<uint32_t> abandoned;  // the thread lives, but its claims do not hold any more
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
    uint64_t kept;         // bytes that are left free for events that are needed

    alignas(shared_line) std::atomic<uint64_t> reserved;

    alignas(shared_line) std::atomic<uint64_t> freed;
    std::atomic<uint32_t> room_wanted;
    std::atomic<uint32_t> room_futex;

    alignas(shared_line) std::atomic<uint64_t> beg_read;
    std::atomic<uint64_t> lost_records;   // begun by threads that died in them
    std::atomic<uint64_t> lost_bytes;     // their space
    std::atomic<uint64_t> damaged_bytes;  // no record with a correct checksum
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
    record_thread,  // SharedSeat::owner, or what the thread signs with
    record_code,    // u24 event code (model, category, value), u8 flags, u32 records lost before this one
    record_words
};
inline constexpr uint32_t record_header_bytes = 8 * record_words;
inline constexpr uint64_t record_jumbo = uint64_t{1} << 24;

constexpr uint64_t space_of(uint64_t bytes) {
    return (bytes + 7) & ~uint64_t{7};
}

}  // namespace ovni::writer
