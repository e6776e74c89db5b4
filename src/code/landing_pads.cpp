#include "code/landing_pads.hpp"

#include <sys/mman.h>

#include <cstring>

#include "code/near_memory.hpp"
#include "code/written_code.hpp"

namespace ovni::code {

namespace {

constexpr uint32_t upper_half = 0xffff0000;

bool is_right(uint32_t distance, FixedBytes fixed) {
    return ((distance ^ fixed.value) & fixed.mask) == 0;
}

}  // namespace

LandingPads::LandingPads() {
    void* room = ::mmap(nullptr, most_chunks * sizeof(Chunk), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    chunks_ = room == MAP_FAILED ? nullptr : static_cast<Chunk*>(room);
}

// 0 if there is none.
uintptr_t LandingPads::free_place(const Chunk& chunk, uintptr_t from, FixedBytes fixed) noexcept {
    constexpr uintptr_t alignment = 8, low_byte = 0xff;
    const bool is_low_fixed = (fixed.mask & low_byte) != 0;
    const uintptr_t step = is_low_fixed ? low_byte + 1 : alignment;
    uintptr_t place = chunk.begin;
    if (is_low_fixed) place += (fixed.value - (chunk.begin - from)) & low_byte;
    for (; place + pad_bytes <= chunk.begin + chunk_bytes; place += step) {
        const auto distance = static_cast<intptr_t>(place - from);
        if (distance != static_cast<int32_t>(distance)) return 0;
        if (!is_right(static_cast<uint32_t>(distance), fixed)) continue;
        bool is_free = true;
        for (size_t i = 0; i < pad_bytes; ++i) is_free = is_free && !chunk.used[place - chunk.begin + i];
        if (is_free) return place;
    }
    return 0;
}

uintptr_t LandingPads::make_in(Chunk& chunk, uintptr_t from, FixedBytes fixed, uintptr_t target) noexcept {
    constexpr uint8_t jump = 0xe9;
    const uintptr_t place = free_place(chunk, from, fixed);
    if (place == 0) return 0;
    std::array<uint8_t, pad_bytes> bytes{jump};
    const auto distance = static_cast<intptr_t>(target - (place + pad_bytes));
    const auto near = static_cast<int32_t>(distance);
    if (distance != near) return 0;
    memcpy(bytes.data() + 1, &near, sizeof near);
    if (!write_code(place, bytes.data(), bytes.size())) return 0;
    for (size_t i = 0; i < pad_bytes; ++i) chunk.used.set(place - chunk.begin + i);
    return place;
}

LandingPads::Chunk* LandingPads::add_chunk(uintptr_t from, FixedBytes fixed) noexcept {
    constexpr intptr_t reach = intptr_t{1} << 30;
    if (chunks_ == nullptr || count_ == most_chunks) return nullptr;
    for (intptr_t i = 0; i < 2 * reach / intptr_t{chunk_bytes}; ++i) {
        // The nearest ones first. A chunk has places of two upper halves of the distance.
        const intptr_t distance = intptr_t{chunk_bytes} * (i % 2 == 0 ? i / 2 : -(i + 1) / 2);
        const uintptr_t wanted =
            (from + static_cast<uintptr_t>(distance) + chunk_bytes - 1) & ~(chunk_bytes - 1);
        const FixedBytes upper{fixed.mask & upper_half, fixed.value & upper_half};
        const auto lowest = static_cast<uint32_t>(wanted - from);
        if (!is_right(lowest, upper) && !is_right(lowest + static_cast<uint32_t>(chunk_bytes), upper))
            continue;
        if (distance < 0 && wanted >= from) continue;
        Chunk& chunk = chunks_[count_];
        chunk.begin = wanted;
        if (free_place(chunk, from, fixed) == 0 || !map_at(wanted, chunk_bytes, PROT_READ | PROT_EXEC))
            continue;
        ++count_;
        return &chunk;
    }
    return nullptr;
}

uintptr_t LandingPads::make(uintptr_t from, FixedBytes fixed, uintptr_t target) noexcept {
    for (size_t i = 0; i < count_; ++i)
        if (const uintptr_t place = make_in(chunks_[i], from, fixed, target)) return place;
    Chunk* added = add_chunk(from, fixed);
    return added == nullptr ? 0 : make_in(*added, from, fixed, target);
}

}  // namespace ovni::code
