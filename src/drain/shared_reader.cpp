#include "drain/shared_reader.hpp"

#include <algorithm>
#include <new>

#include "ovni/format.h"
#include "ring/futex.hpp"

namespace ovni::writer {

namespace {

constexpr int64_t sleep_when_stuck = 100'000;

}  // namespace

void append_event(const SharedRecord& record, std::vector<uint8_t>& stream) {
    auto size = static_cast<uint32_t>(record.payload.size());
    constexpr uint8_t jumbo_flags = OVNI_FORMAT_JUMBO | (OVNI_FORMAT_JUMBO_SIZE - 1);
    uint32_t flags = record.is_jumbo ? jumbo_flags : ovni_format_flags(size);
    uint32_t flags_and_code = flags | record.code.bits() << 8;
    auto append = [&](const void* from, size_t bytes) {
        const auto* begin = static_cast<const uint8_t*>(from);
        stream.insert(stream.end(), begin, begin + bytes);
    };
    append(&flags_and_code, sizeof flags_and_code);
    append(&record.clock, sizeof record.clock);
    if (record.is_jumbo) append(&size, sizeof size);
    append(record.payload.data(), size);
}

bool SharedReader::open(const SharedBuffer& buffer, Lives whether_lives) noexcept {
    buffer_ = buffer;
    lives_ = whether_lives;
    record_.reset(new (std::nothrow) uint64_t[buffer_.record_limit() / 8]);
    next_ = reserved_ = buffer_.header().beg_read.load(std::memory_order_acquire);
    clear_up_to(next_);  // the reader before may have been interrupted in it
    return record_ != nullptr;
}

bool SharedReader::is_drained() const noexcept {
    return next_ == buffer_.header().reserved.load(std::memory_order_acquire);
}

bool SharedReader::is_reserved(uint64_t end) noexcept {
    if (end <= reserved_) return true;
    reserved_ = buffer_.header().reserved.load(std::memory_order_acquire);
    return end <= reserved_;
}

bool SharedReader::next(SharedRecord& record) noexcept {
    for (;;) {
        if (!is_reserved(next_ + 8)) return false;
        if (buffer_.word_at(next_).load(std::memory_order_acquire) == 0) {
            if (!pass_unwritten()) return false;
        } else if (take(record)) {
            return true;
        } else if (!find_next_record()) {
            return false;
        }
    }
}

// Copies the record first: what is checked is what is handed out.
bool SharedReader::is_record(uint64_t at) noexcept {
    uint64_t commit = buffer_.word_at(at).load(std::memory_order_acquire);
    auto bytes = static_cast<uint32_t>(commit);
    if (bytes < record_header_bytes || space_of(bytes) > buffer_.record_limit() ||
        !is_reserved(at + space_of(bytes)))
        return false;
    RecordChecksum checksum(bytes);
    record_[0] = commit;
    for (size_t i = 1; i < space_of(bytes) / 8; ++i) {
        record_[i] = buffer_.word_at(at + 8 * i).load(std::memory_order_relaxed);
        checksum.add(record_[i]);
    }
    return checksum.at(at) == commit >> 32;
}

bool SharedReader::take(SharedRecord& record) noexcept {
    if (!is_record(next_)) return false;
    auto bytes = static_cast<uint32_t>(record_[record_commit]);
    uint64_t code = record_[record_code];
    record.code = EventCode::from_bits(static_cast<uint32_t>(code & 0xffffff));
    record.is_jumbo = (code & record_jumbo) != 0;
    record.clock = record_[record_clock];
    record.pid = static_cast<uint32_t>(record_[record_thread] >> 32);
    record.tid = static_cast<uint32_t>(record_[record_thread]);
    record.at = next_;
    record.lost_before = static_cast<uint32_t>(code >> 32);
    record.payload = {reinterpret_cast<const uint8_t*>(&record_[record_words]), bytes - record_header_bytes};
    next_ += space_of(bytes);
    return true;
}

bool SharedReader::lives(const SharedSeat& seat) const noexcept {
    if (seat.abandoned.load(std::memory_order_acquire) != 0) return false;
    uint64_t owner = seat.owner.load(std::memory_order_acquire);
    uint64_t opened = seat.opened.load(std::memory_order_acquire);
    return owner != 0 && lives_(static_cast<uint32_t>(owner >> 32), static_cast<uint32_t>(owner), opened);
}

bool SharedReader::somebody_lives() const noexcept {
    return std::ranges::any_of(buffer_.seats(), [&](const SharedSeat& seat) { return lives(seat); });
}

template <class Use>
void SharedReader::for_claims_at(uint64_t at, Use use) const {
    for (const SharedSeat& seat : buffer_.seats())
        for (const auto& word : seat.claims) {
            Claim claim = Claim::unpack(word.load(std::memory_order_acquire));
            if (claim.space != 0 && claim.at == at) use(seat, claim.space);
        }
}

SharedReader::Claimants SharedReader::claimants() const noexcept {
    Claimants found;
    for_claims_at(next_, [&](const SharedSeat& seat, uint64_t space) {
        found.has_living = found.has_living || lives(seat);
        found.smallest = std::min(found.smallest, space);
        found.largest = std::max(found.largest, space);
    });
    return found;
}

// One of several dead threads had the space: behind its claim a record begins, or nothing is reserved.
uint64_t SharedReader::space_of_the_dead(const Claimants& claimants) noexcept {
    if (claimants.smallest == claimants.largest) return claimants.smallest;
    uint64_t found = UINT64_MAX;
    for_claims_at(next_, [&](const SharedSeat&, uint64_t space) {
        if (space < found && is_boundary(next_ + space)) found = space;
    });
    return found;
}

// The space at next_ is reserved and not committed. Whoever reserved it has claimed it before, and does so
// until the commit; others may claim it, too, who came too late. True: look again.
bool SharedReader::pass_unwritten() noexcept {
    if (stuck_at_ != next_) {
        stuck_at_ = next_;
        return false;
    }
    Claimants found = claimants();
    if (found.has_living) return false;
    if (buffer_.word_at(next_).load(std::memory_order_acquire) != 0) return true;
    uint64_t space = found.largest == 0 ? UINT64_MAX : space_of_the_dead(found);
    if (space == UINT64_MAX) return find_next_record();
    buffer_.header().lost_records.fetch_add(1, std::memory_order_relaxed);
    buffer_.header().lost_bytes.fetch_add(space, std::memory_order_relaxed);
    next_ += space;
    has_passed_dead_ = true;
    return true;
}

bool SharedReader::is_claimed(uint64_t at) const noexcept {
    bool found = false;
    for_claims_at(at, [&](const SharedSeat&, uint64_t) { found = true; });
    return found;
}

bool SharedReader::is_boundary(uint64_t at) noexcept {
    uint64_t reserved = buffer_.header().reserved.load(std::memory_order_acquire);
    return at == reserved || (at < reserved && (is_claimed(at) || is_record(at)));
}

// Skips damage up to the next whole record. If there is none, and no thread to write one, skips to the end.
bool SharedReader::find_next_record() noexcept {
    bool is_final = !somebody_lives();
    uint64_t reserved = buffer_.header().reserved.load(std::memory_order_acquire);
    uint64_t at = next_ + 8;
    while (at < reserved && !is_record(at)) at += 8;
    if (at >= reserved && !is_final) return false;
    buffer_.header().damaged_bytes.fetch_add(at - next_, std::memory_order_relaxed);
    next_ = at;
    return true;
}

void SharedReader::clear_up_to(uint64_t end) noexcept {
    SharedHeader& header = buffer_.header();
    uint64_t freed = header.freed.load(std::memory_order_relaxed);
    for (uint64_t at = freed; at < end; at += 8) buffer_.word_at(at).store(0, std::memory_order_relaxed);
    header.freed.store(end, std::memory_order_seq_cst);
    if (header.room_wanted.load(std::memory_order_seq_cst) == 0) return;
    header.room_wanted.store(0, std::memory_order_relaxed);
    header.room_futex.fetch_add(1, std::memory_order_release);
    futex_wake_all(header.room_futex);
}

void SharedReader::release() noexcept {
    SharedHeader& header = buffer_.header();
    if (next_ != header.freed.load(std::memory_order_relaxed)) {
        header.beg_read.store(next_, std::memory_order_release);
        clear_up_to(next_);
    }
    if (has_passed_dead_ || header.seats_wanted.load(std::memory_order_relaxed) != 0) take_back_seats();
}

void SharedReader::take_back_seats() noexcept {
    has_passed_dead_ = false;
    buffer_.header().seats_wanted.store(0, std::memory_order_relaxed);
    for (SharedSeat& seat : buffer_.seats()) {
        if (seat.owner.load(std::memory_order_acquire) == 0 || lives(seat)) continue;
        bool is_claiming = std::ranges::any_of(seat.claims, [&](const auto& word) {
            Claim claim = Claim::unpack(word.load(std::memory_order_acquire));
            return claim.space != 0 && claim.at >= next_;
        });
        if (is_claiming) continue;
        for (auto& word : seat.claims) word.store(0, std::memory_order_relaxed);
        seat.abandoned.store(0, std::memory_order_relaxed);
        seat.opened.store(0, std::memory_order_relaxed);
        seat.owner.store(0, std::memory_order_release);
    }
}

void SharedReader::sleep(int64_t nanoseconds) noexcept {
    SharedHeader& header = buffer_.header();
    uint32_t seen = header.data_futex.load(std::memory_order_acquire);
    header.reader_sleeps.store(1, std::memory_order_seq_cst);
    uint64_t reserved = header.reserved.load(std::memory_order_seq_cst);
    if (stuck_at_ == next_)
        futex_wait(header.data_futex, seen, std::min(nanoseconds, sleep_when_stuck));
    else if (reserved - next_ < buffer_.capacity() / 2)
        futex_wait(header.data_futex, seen, nanoseconds);
    header.reader_sleeps.store(0, std::memory_order_relaxed);
}

}  // namespace ovni::writer
