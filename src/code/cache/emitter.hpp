// Writes machine code to the memory in which it will run.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "code/cache/thread_context.hpp"

namespace ovni::code {

class Emitter {
 public:
    explicit Emitter(uint8_t* at) noexcept : at_(at) {}

    uint8_t* here() const noexcept { return at_; }
    void bytes(std::initializer_list<int> bytes) noexcept {
        for (const int byte : bytes) *at_++ = static_cast<uint8_t>(byte);
    }
    void add(const void* bytes, size_t size) noexcept {
        memcpy(at_, bytes, size);
        at_ += size;
    }
    void word(int64_t value) noexcept {
        const auto low = static_cast<int32_t>(value);
        is_in_reach_ = is_in_reach_ && low == value;
        add(&low, sizeof low);
    }
    void quad(uint64_t value) noexcept { add(&value, sizeof value); }
    // False if a distance was too large for its four bytes.
    bool is_in_reach() const noexcept { return is_in_reach_; }
    void align(uintptr_t to, uintptr_t less = 0) noexcept {
        while ((reinterpret_cast<uintptr_t>(at_) + less) % to != 0) bytes({0x90});
    }

    void save_rax() noexcept { with_gs({0x48, 0x89, 0x04, 0x25}, place_of::rax); }
    void restore_rax() noexcept { with_gs({0x48, 0x8b, 0x04, 0x25}, place_of::rax); }
    void save_rcx() noexcept { with_gs({0x48, 0x89, 0x0c, 0x25}, place_of::rcx); }
    void restore_rcx() noexcept { with_gs({0x48, 0x8b, 0x0c, 0x25}, place_of::rcx); }
    // An instruction on a member of the thread's context.
    void with_gs(std::initializer_list<int> instruction, int place) noexcept {
        bytes({0x65});
        bytes(instruction);
        word(place);
    }
    void set_rax(uint64_t value) noexcept {
        bytes({0x48, 0xb8});
        quad(value);
    }
    // A jump to any address. The address in the code is aligned, because the program may have enabled
    // alignment checks.
    void jump_far(uint64_t to) noexcept {
        uint8_t* literal = literal_of_jump(at_);
        bytes({0xff, 0x25});
        word(literal - (at_ + sizeof(int32_t)));
        while (at_ < literal) bytes({0x90});
        quad(to);
    }
    // The location at which a jump_far() at `at` stores its target address.
    static uint8_t* literal_of_jump(uint8_t* at) noexcept {
        constexpr uintptr_t jump = 6, alignment = sizeof(uint64_t);
        return at + (jump + (0 - (reinterpret_cast<uintptr_t>(at) + jump)) % alignment);
    }
    // Reserves the four bytes of a distance; target() fills them in later.
    uint8_t* distance() noexcept {
        word(0);
        return at_ - sizeof(int32_t);
    }
    void target(uint8_t* distance) const noexcept {
        const auto bytes = static_cast<int32_t>(at_ - (distance + sizeof(int32_t)));
        memcpy(distance, &bytes, sizeof bytes);
    }
    uint8_t* short_distance() noexcept {
        bytes({0});
        return at_ - 1;
    }
    void short_target(uint8_t* distance) const noexcept {
        *distance = static_cast<uint8_t>(at_ - (distance + 1));
    }

 private:
    uint8_t* at_;
    bool is_in_reach_ = true;
};

}  // namespace ovni::code
