// The checksum of a record in a shared buffer: CRC32C over whole words, one instruction each where the
// processor has it, inline without flags of the compiler, else as core/crc32c.hpp, with equal results. The
// position goes into it, so that bytes of an earlier lap are never taken for a record.
#pragma once

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
    void add_by_table(uint64_t word) noexcept;

    uint64_t state_;  // below 2^32
    By by_;
};

}  // namespace ovni
