#include "ring/shared_buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "core/page.hpp"
#include "core/pause.hpp"
#include "ring/futex.hpp"
#include "ring/process_life.hpp"

namespace ovni::writer {

namespace {

constexpr uint64_t magic = 0x316d6873696e766f;  // "ovnishm1"
constexpr uint32_t version = 1;
constexpr int spins = 200;
constexpr uint32_t wait_ms = 2;
// A handler that interrupts an emission may wait for a thread that waits for the interrupted one.
constexpr uint32_t patience_of_handlers_ms = 20;

constexpr size_t data_offset(uint32_t seats) {
    return (sizeof(SharedHeader) + seats * sizeof(SharedSeat) + page_bytes - 1) / page_bytes * page_bytes;
}

uint64_t capacity_of(const SharedOptions& options) {
    return std::bit_ceil(std::max<uint64_t>(options.capacity, 512));
}

// CLOCK_BOOTTIME of the machine, independent of the time namespace.
uint64_t boot_time() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const uint64_t here =
        static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
    return here - static_cast<uint64_t>(own_time_offsets().boottime);
}

}  // namespace

size_t SharedBuffer::memory_needed(const SharedOptions& options) noexcept {
    return data_offset(options.seats) + capacity_of(options);
}

void SharedBuffer::view(std::span<std::byte> memory) noexcept {
    header_ = reinterpret_cast<SharedHeader*>(memory.data());
    seats_ = reinterpret_cast<SharedSeat*>(memory.data() + sizeof(SharedHeader));
}

bool SharedBuffer::format(std::span<std::byte> memory, const SharedOptions& options) noexcept {
    if (options.seats == 0 || memory.size() < memory_needed(options)) return false;
    view(memory);
    header_->version = version;
    header_->seats = options.seats;
    header_->capacity = capacity_of(options);
    header_->on_full = options.on_full;
    header_->patience_ms = options.patience_ms;
    header_->kept = std::min(options.kept, header_->capacity / 2);
    header_->magic.store(magic, std::memory_order_release);
    return attach(memory);
}

bool SharedBuffer::attach(std::span<std::byte> memory) noexcept {
    if (memory.size() < sizeof(SharedHeader)) return false;
    view(memory);
    if (header_->magic.load(std::memory_order_acquire) != magic || header_->version != version) return false;
    uint64_t capacity = header_->capacity;
    size_t offset = data_offset(header_->seats);
    if (!std::has_single_bit(capacity) || memory.size() < offset || memory.size() - offset < capacity)
        return false;
    data_ = reinterpret_cast<std::atomic<uint64_t>*>(memory.data() + offset);
    mask_ = capacity - 1;
    return true;
}

bool SharedBuffer::part_from_parent() const noexcept {
    SharedOptions options{.capacity = capacity(), .seats = header_->seats, .on_full = SharedOnFull::discard};
    size_t bytes = memory_needed(options);
    void* own = mmap(header_, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return own != MAP_FAILED && SharedBuffer().format({static_cast<std::byte*>(own), bytes}, options);
}

uint64_t SharedBuffer::record_limit() const noexcept {
    return std::min(capacity() / 4, Claim::space_limit - 8);
}

bool SharedProducer::open(const SharedBuffer& buffer, uint32_t pid, uint32_t tid,
                          const StackRange& stack) noexcept {
    buffer_ = buffer;
    stack_ = stack;
    owner_ = sender_ = uint64_t{pid} << 32 | tid;
    wake_ = nullptr;
    seat_ = nullptr;
    lost_.store(0, std::memory_order_relaxed);
    return take_seat();
}

void SharedProducer::sign(uint64_t sender, void (*wake)() noexcept) noexcept {
    sender_ = sender;
    wake_ = wake;
}

void SharedProducer::close() noexcept {
    owner_ = 0;
    if (seat_ == nullptr) return;
    SharedSeat* seat = seat_;
    seat_ = nullptr;
    seat->opened.store(0, std::memory_order_relaxed);
    seat->owner.store(0, std::memory_order_release);
}

void SharedProducer::leave_write() noexcept {
    if (seat_ != nullptr && is_emitting()) take_another_seat();
}

void SharedProducer::let_write_end(const SharedBuffer& buffer) noexcept {
    if (!buffer.part_from_parent()) return;
    buffer_ = buffer;
    seat_ = buffer_.seats().data();
}

bool SharedProducer::take_seat() noexcept {
    for (auto& frame : frames_) frame.store(0, std::memory_order_relaxed);
    limit_.store(0, std::memory_order_relaxed);
    stalled_ = UINT64_MAX;
    for (SharedSeat& seat : buffer_.seats()) {
        uint64_t free = 0;
        if (seat.owner.load(std::memory_order_relaxed) != 0) continue;
        if (!seat.owner.compare_exchange_strong(free, owner_, std::memory_order_acq_rel)) continue;
        seat.opened.store(boot_time(), std::memory_order_release);
        seat_ = &seat;
        return true;
    }
    buffer_.header().seats_wanted.store(1, std::memory_order_relaxed);
    return false;
}

bool SharedProducer::write_payload(EventCode code, uint64_t clock,
                                   std::span<const uint8_t> payload) noexcept {
    return emit(code, clock, payload, NoRoom::lose) == Outcome::written;
}

bool SharedProducer::write_jumbo(EventCode code, uint64_t clock, std::span<const uint8_t> data) noexcept {
    return emit_jumbo(code, clock, data, NoRoom::lose) == Outcome::written;
}

SharedProducer::Outcome SharedProducer::emit(EventCode code, uint64_t clock, std::span<const uint8_t> payload,
                                             NoRoom no_room) noexcept {
    if (payload.size() == 1 || payload.size() > 16) return discard();
    uint64_t words[2] = {};
    if (payload.size() == 16)
        std::memcpy(words, payload.data(), 16);
    else if (payload.size() == 8)
        std::memcpy(words, payload.data(), 8);
    else
        for (size_t i = 0; i < payload.size(); ++i) words[i / 8] |= uint64_t{payload[i]} << (8 * (i % 8));
    return put(code.bits(), clock, payload.size(), no_room, [&](size_t i) { return words[i]; });
}

SharedProducer::Outcome SharedProducer::emit_jumbo(EventCode code, uint64_t clock,
                                                   std::span<const uint8_t> data, NoRoom no_room) noexcept {
    return put(code.bits() | record_jumbo, clock, data.size(), no_room, [&](size_t i) {
        uint64_t word = 0;
        std::memcpy(&word, data.data() + 8 * i, std::min<size_t>(8, data.size() - 8 * i));
        return word;
    });
}

// When the reader has taken back the seats of dead threads.
[[gnu::cold, gnu::noinline]] bool SharedProducer::take_seat_again() noexcept {
    return owner_ != 0 && buffer_.header().seats_wanted.load(std::memory_order_relaxed) == 0 && take_seat();
}

[[gnu::cold, gnu::noinline]] uint32_t SharedProducer::take_losses(unsigned level) noexcept {
    uint32_t lost = lost_.exchange(0, std::memory_order_relaxed);
    taken_losses_[level].store(lost, std::memory_order_relaxed);
    return lost;
}

// A seat whose outermost emission was left goes to the reader, with all its claims. Those that had
// interrupted it were left with it.
bool SharedProducer::take_another_seat() noexcept {
    seat_->abandoned.store(1, std::memory_order_release);
    seat_ = nullptr;
    uint32_t lost = 0;
    for (unsigned level = 0; level < shared_levels; ++level) {
        lost += frames_[level].load(std::memory_order_relaxed) != 0 ? 1 : 0;
        lost += taken_losses_[level].exchange(0, std::memory_order_relaxed);
    }
    lost_.fetch_add(lost, std::memory_order_relaxed);
    return take_seat();
}

// The level of an emission that found another one under way.
[[gnu::cold, gnu::noinline]] unsigned SharedProducer::nested_level(uintptr_t here) noexcept {
    if (stands_behind(stack_, frames_[0].load(std::memory_order_relaxed), here))
        return take_another_seat() ? 0 : shared_levels;
    unsigned level = 1;
    while (level < shared_levels && frames_[level].load(std::memory_order_relaxed) != 0) ++level;
    return level;
}

[[gnu::cold, gnu::noinline]] SharedProducer::Outcome SharedProducer::discard(uint32_t also) noexcept {
    if (owner_ == 0) return Outcome::lost;
    lost_.fetch_add(also + 1, std::memory_order_relaxed);
    buffer_.header().discarded.fetch_add(1, std::memory_order_relaxed);
    return Outcome::lost;
}

[[gnu::cold, gnu::noinline]] SharedProducer::Outcome SharedProducer::give_up(NoRoom no_room,
                                                                             uint32_t also) noexcept {
    if (no_room == NoRoom::lose) return discard(also);
    lost_.fetch_add(also, std::memory_order_relaxed);
    return Outcome::refused;
}

// True: look again, there may be room. False: give the event up.
[[gnu::cold, gnu::noinline]] bool SharedProducer::make_room(uint64_t at, uint64_t space, uint64_t kept,
                                                            unsigned level) noexcept {
    SharedHeader& header = buffer_.header();
    if (space > buffer_.record_limit()) return false;
    uint64_t freed = header.freed.load(std::memory_order_acquire);
    if (at < freed) return true;
    if (wake_ != nullptr) {
        if (at - freed >= buffer_.capacity() / 2) wake_();
    } else if (at - freed >= buffer_.capacity() / 2 &&
               header.reader_sleeps.load(std::memory_order_relaxed) != 0) {
        header.reader_sleeps.store(0, std::memory_order_relaxed);
        header.data_futex.fetch_add(1, std::memory_order_release);
        futex_wake_all(header.data_futex);
    }
    uint64_t room = freed + buffer_.capacity() - header.kept;
    if (at + space <= room + kept) {
        // Come back after a quarter, to see whether the reader should wake up.
        uint64_t known = std::min(room, at + space + buffer_.capacity() / 4);
        limit_.store(known, std::memory_order_relaxed);
        return true;
    }
    if (header.on_full == SharedOnFull::discard || freed == stalled_) return false;
    return wait_for_room(at + space, kept, level);
}

bool SharedProducer::has_claims(unsigned level) const noexcept {
    for (unsigned below = 0; below < level; ++below)
        if (seat_->claims[below].load(std::memory_order_relaxed) != 0) return true;
    return false;
}

// The space up to `end` is free only after a record is read that this thread was interrupted in.
bool SharedProducer::waits_for_itself(uint64_t end, unsigned level) const noexcept {
    for (unsigned below = 0; below < level; ++below) {
        uint64_t word = seat_->claims[below].load(std::memory_order_relaxed);
        if (word != 0 && end > Claim::unpack(word).at + buffer_.capacity()) return true;
    }
    return false;
}

bool SharedProducer::wait_for_room(uint64_t end, uint64_t kept, unsigned level) noexcept {
    if (waits_for_itself(end, level)) return false;
    // A failed swap leaves a claim; the reader may wait until it is withdrawn.
    seat_->claims[level].store(0, std::memory_order_release);
    SharedHeader& header = buffer_.header();
    uint32_t patience = header.patience_ms;
    if (has_claims(level)) patience = std::min(patience, patience_of_handlers_ms);
    uint64_t before = header.freed.load(std::memory_order_relaxed);
    auto has_room = [&] {
        uint64_t freed = header.freed.load(std::memory_order_seq_cst);
        return end <= freed + buffer_.capacity() - header.kept + kept || freed != before;
    };
    for (int spin = 0; spin < spins; ++spin) {
        if (has_room()) return true;
        pause_briefly();
    }
    for (uint32_t waited = 0; waited < patience; waited += wait_ms) {
        uint32_t seen = header.room_futex.load(std::memory_order_acquire);
        header.room_wanted.store(1, std::memory_order_seq_cst);
        if (has_room()) return true;
        futex_wait(header.room_futex, seen, int64_t{wait_ms} * 1'000'000);
    }
    if (has_room()) return true;
    if (level == 0) stalled_ = before;
    return false;
}

}  // namespace ovni::writer
