// One buffer for all threads of one or several processes: the producers' side. It lies in memory that
// producers and the drainer (shared_reader.hpp) map, usually a file on tmpfs.
//
// A producer claims the space behind `reserved` in its seat, takes it by compare-and-swap, fills it and
// stores the commit word. No producer waits for another. Only freed space is taken: if the swap succeeds,
// `reserved` has not moved since the check, and `freed` only grows. So a producer that waits for room, gives
// up or discards holds no space.
//
// What the emit path of the library needs:
//
//     SharedBuffer buffer;                             // attach() to what format() made
//     SharedProducer producer;                         // of this thread, in memory wiped on fork
//     producer.open(buffer, pid, tid);                 // once per thread
//     producer.write("OB.", clock, int32_t{1});        // false: discarded and counted
//     producer.write_jumbo("VYc", clock, data);
//     producer.close();                                // the thread ends
//
// A caller that can do more about a full buffer than wait for the reader uses emit(), which may refuse the
// event, and tries again.
//
// write() may be called in signal handlers that interrupt a write() of the same thread, `shared_levels` deep.
// A handler that leaves by siglongjmp out of an interrupted write() is noticed at the next write() of the
// thread from a frame that is not below it. Contexts switched inside a signal handler (swapcontext) are
// not supported. Nothing here allocates, takes a lock or changes errno.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "ovni/event_code.hpp"
#include "ring/record_checksum.hpp"
#include "ring/shared_layout.hpp"
#include "ring/stack_range.hpp"

namespace ovni::writer {

struct SharedOptions {
    uint64_t capacity = uint64_t{2} << 20;  // bytes; rounded up to a power of two, 512 at least
    uint32_t seats = 256;                   // threads at a time
    SharedOnFull on_full = SharedOnFull::wait;
    uint32_t patience_ms = 10'000;
    uint64_t kept = 0;  // as in SharedHeader
};

// A view; the memory belongs to the caller, is aligned to pages and stays mapped.
class SharedBuffer {
 public:
    static size_t memory_needed(const SharedOptions& options) noexcept;
    // Makes an empty buffer in zeroed memory. False if the memory is too small.
    bool format(std::span<std::byte> memory, const SharedOptions& options) noexcept;
    // False if the memory holds no complete buffer of this version.
    bool attach(std::span<std::byte> memory) noexcept;
    // Call in a fork's child: replaces the buffer shared with the parent by an empty one.
    bool part_from_parent() const noexcept;

    SharedHeader& header() const noexcept { return *header_; }
    std::span<SharedSeat> seats() const noexcept { return {seats_, header_->seats}; }
    uint64_t capacity() const noexcept { return mask_ + 1; }
    // The largest record, header included.
    uint64_t record_limit() const noexcept;
    std::atomic<uint64_t>& word_at(uint64_t position) const noexcept { return data_[(position & mask_) / 8]; }

 private:
    void view(std::span<std::byte> memory) noexcept;

    SharedHeader* header_ = nullptr;
    SharedSeat* seats_ = nullptr;
    std::atomic<uint64_t>* data_ = nullptr;
    uint64_t mask_ = 0;
};

class SharedProducer {
 public:
    enum class Outcome : uint8_t { written, lost, refused };  // lost: counted as lost
    // The treatment of an event without room, after the buffer's patience. A needed event may use the
    // reserved room, and is refused if that is full, too.
    enum class NoRoom : uint8_t { lose, refuse, needed };

    // False if no seat is free: then events are discarded until the reader has taken back seats of dead
    // threads. `stack`: of the writing thread.
    bool open(const SharedBuffer& buffer, uint32_t pid, uint32_t tid,
              const StackRange& stack = own_stack()) noexcept;
    // From here on records carry `sender` instead of pid and thread id. When the buffer is half full, `wake`
    // is called instead of waking the buffer's futex.
    void sign(uint64_t sender, void (*wake)() noexcept) noexcept;
    void close() noexcept;
    // Call if the thread was cancelled in a write().
    void leave_write() noexcept;
    // Call in the child if a handler forked inside a write(), which continues in the child. The child's copy
    // of the producer may be zero; `buffer` is another view. The memory becomes the child's own, at its
    // present address.
    void let_write_end(const SharedBuffer& buffer) noexcept;
    bool is_open() const noexcept { return owner_ != 0; }
    // True if the caller is a handler that interrupted a write(), or if a write() was left by a jump.
    bool is_emitting() const noexcept { return frames_[0].load(std::memory_order_relaxed) != 0; }

    // The arguments become the payload, in this order, without padding.
    template <class... Args>
    bool write(EventCode code, uint64_t clock, const Args&... args) noexcept {
        static_assert((std::is_trivially_copyable_v<Args> && ...), "arguments are stored as bytes");
        constexpr uint32_t payload = (sizeof(Args) + ... + 0u);
        static_assert(payload == 0 || (payload >= 2 && payload <= 16), "a payload has 0 or 2 to 16 bytes");
        uint8_t bytes[16] = {};
        [[maybe_unused]] uint8_t* next = bytes;
        ((std::memcpy(next, &args, sizeof args), next += sizeof args), ...);
        uint64_t words[2];
        std::memcpy(words, bytes, sizeof words);
        return put(code.bits(), clock, payload, NoRoom::lose, [&](size_t i) { return words[i]; }) ==
               Outcome::written;
    }
    // A payload whose size is known at run time: 0 or 2 to 16 bytes.
    bool write_payload(EventCode code, uint64_t clock, std::span<const uint8_t> payload) noexcept;
    // `data`: the bytes after the size in the event.
    bool write_jumbo(EventCode code, uint64_t clock, std::span<const uint8_t> data) noexcept;
    // Like write_payload() and write_jumbo(), but `no_room` decides what happens to an event without room.
    Outcome emit(EventCode code, uint64_t clock, std::span<const uint8_t> payload, NoRoom no_room) noexcept;
    Outcome emit_jumbo(EventCode code, uint64_t clock, std::span<const uint8_t> data,
                       NoRoom no_room) noexcept;
    // Counts an event as lost that was refused and is given up.
    void lose() noexcept { discard(); }
    // Events lost since the last record; sets the count to 0. Any thread.
    uint32_t take_lost() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
    template <class Words>
    Outcome put(uint64_t code, uint64_t clock, uint64_t payload, NoRoom no_room, Words payload_word) noexcept;
    void store(uint64_t position, uint64_t word) noexcept {
        buffer_.word_at(position).store(word, std::memory_order_relaxed);
    }
    bool reserve(uint64_t& at, uint64_t space, uint64_t kept, unsigned level) noexcept;
    bool take_seat() noexcept;
    bool take_seat_again() noexcept;
    bool take_another_seat() noexcept;
    unsigned nested_level(uintptr_t here) noexcept;
    bool make_room(uint64_t at, uint64_t space, uint64_t kept, unsigned level) noexcept;
    bool wait_for_room(uint64_t end, uint64_t kept, unsigned level) noexcept;
    bool waits_for_itself(uint64_t end, unsigned level) const noexcept;
    uint32_t take_losses(unsigned level) noexcept;
    bool has_claims(unsigned level) const noexcept;
    Outcome discard(uint32_t also = 0) noexcept;
    Outcome give_up(NoRoom no_room, uint32_t also = 0) noexcept;

    // Fetches the line for writing while the checksum is computed: the swap then seldom fails.
    static void expect_to_write(std::atomic<uint64_t>& word) noexcept {
#if defined(__x86_64__)
        asm volatile("prefetchw %0" : : "m"(word));
#else
        __builtin_prefetch(&word, 1);
#endif
    }
    static uintptr_t stack_pointer() noexcept {
#if defined(__x86_64__)
        uintptr_t here;
        asm volatile("mov %%rsp, %0" : "=r"(here));
        return here;
#else
        return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
    }

    SharedBuffer buffer_;
    SharedSeat* seat_ = nullptr;
    StackRange stack_;
    uint64_t owner_ = 0, sender_ = 0;
    void (*wake_)() noexcept = nullptr;
    std::atomic<uint64_t> limit_{0};  // known room ends here; the reserved room lies behind
    std::atomic<uint32_t> lost_{0};   // since the last record that was written
    uint64_t stalled_ = UINT64_MAX;   // `freed` when the last wait ended without room
    // The stack pointers of the emissions in progress: one store begins a level, one store ends it.
    std::atomic<uintptr_t> frames_[shared_levels] = {};
    // Losses that the records in progress report.
    std::atomic<uint32_t> taken_losses_[shared_levels] = {};
};

[[gnu::always_inline]] inline bool SharedProducer::reserve(uint64_t& at, uint64_t space, uint64_t kept,
                                                           unsigned level) noexcept {
    std::atomic<uint64_t>& reserved = buffer_.header().reserved;
    at = reserved.load(std::memory_order_relaxed);
    do {
        while (__builtin_expect(at + space > limit_.load(std::memory_order_relaxed) + kept, 0)) {
            if (!make_room(at, space, kept, level)) return false;
            at = reserved.load(std::memory_order_relaxed);
        }
        // The swap releases the claim: a reader that sees the space reserved sees the claim, too.
        seat_->claims[level].store(Claim{at, space}.packed(), std::memory_order_release);
    } while (!reserved.compare_exchange_weak(at, at + space, std::memory_order_acq_rel,
                                             std::memory_order_relaxed));
    return true;
}

template <class Words>
[[gnu::always_inline]] inline SharedProducer::Outcome SharedProducer::put(uint64_t code, uint64_t clock,
                                                                          uint64_t payload, NoRoom no_room,
                                                                          Words payload_word) noexcept {
    if (__builtin_expect(seat_ == nullptr, 0) && !take_seat_again()) return give_up(no_room);
    expect_to_write(buffer_.header().reserved);
    const uintptr_t here = stack_pointer();
    unsigned level = 0;
    if (__builtin_expect(frames_[0].load(std::memory_order_relaxed) != 0, 0)) level = nested_level(here);
    if (__builtin_expect(level == shared_levels, 0)) return seat_ ? discard() : give_up(no_room);
    frames_[level].store(here, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);

    uint32_t lost = lost_.load(std::memory_order_relaxed);
    if (__builtin_expect(lost != 0, 0)) lost = take_losses(level);
    code |= uint64_t{lost} << 32;
    const auto bytes = static_cast<uint32_t>(record_header_bytes + payload);
    const size_t payload_words = (payload + 7) / 8;
    RecordChecksum checksum(bytes);
    checksum.add(clock);
    checksum.add(sender_);
    checksum.add(code);
    for (size_t i = 0; i < payload_words; ++i) checksum.add(payload_word(i));

    uint64_t at = 0;
    uint64_t kept = no_room == NoRoom::needed ? buffer_.header().kept : 0;
    Outcome outcome = Outcome::written;
    if (__builtin_expect(reserve(at, space_of(bytes), kept, level), 1)) {
        store(at + 8 * record_clock, clock);
        store(at + 8 * record_thread, sender_);
        store(at + 8 * record_code, code);
        for (size_t i = 0; i < payload_words; ++i) store(at + 8 * (record_words + i), payload_word(i));
        uint64_t commit = bytes | uint64_t{checksum.at(at)} << 32;
        buffer_.word_at(at).store(commit, std::memory_order_release);
    } else {
        outcome = give_up(no_room, lost);
    }
    if (__builtin_expect(lost != 0, 0)) taken_losses_[level].store(0, std::memory_order_relaxed);
    seat_->claims[level].store(0, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    frames_[level].store(0, std::memory_order_relaxed);
    return outcome;
}

}  // namespace ovni::writer
