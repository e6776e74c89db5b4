// The checksum of a record in a shared buffer: CRC32C over whole words, one instruction each where the
// processor has it, else by a table, with equal results. The position goes into it, so that bytes of an
// earlier lap are never taken for a record.
#pragma once

#include <array>
#include <cstdint>

namespace ovni {

class RecordChecksum {
 public:
    enum class By { instruction, table };

    static By best() noexcept {
#if defined(__x86_64__)
        if (__builtin_cpu_supports("sse4.2")) return By::instruction;
#endif
        return By::table;
    }

    explicit RecordChecksum(uint32_t bytes, By by) noexcept : state_(~bytes), by_(by) {}

    [[gnu::always_inline]] void add(uint64_t word) noexcept {
#if defined(__x86_64__)
        if (__builtin_expect(by_ == By::instruction, 1)) {
            asm("crc32q %1, %0" : "+r"(state_) : "rm"(word));
            return;
        }
#endif
        add_by_table(word);
    }
    [[gnu::always_inline]] uint32_t at(uint64_t position) noexcept {
        add(position);
        return ~static_cast<uint32_t>(state_);
    }

 private:
    static constexpr std::array<uint32_t, 256> table = [] {
        std::array<uint32_t, 256> made{};
        for (uint32_t byte = 0; byte < 256; ++byte) {
            uint32_t value = byte;
            for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82f63b78 : 0);
            made[byte] = value;
        }
        return made;
    }();

    [[gnu::noinline]] void add_by_table(uint64_t word) noexcept {
        for (int i = 0; i < 8; ++i) state_ = state_ >> 8 ^ table[(state_ ^ word >> (8 * i)) & 0xff];
    }

    uint64_t state_;  // below 2^32
    By by_;
};

}  // namespace ovni
