// The three characters that name an event: model, category, value. Written in sources only as a literal of
// exactly three characters, which the compiler checks; read from streams by from_bytes.
#pragma once

#include <array>
#include <cstdint>

namespace ovni {

class EventCode {
 public:
    constexpr EventCode() = default;
    consteval EventCode(const char (&literal)[4])  // NOLINT: a literal is a code
        : EventCode(literal[0], literal[1], literal[2]) {}
    static constexpr EventCode from_bytes(const uint8_t* mcv) {
        return EventCode(static_cast<char>(mcv[0]), static_cast<char>(mcv[1]), static_cast<char>(mcv[2]));
    }
    // The inverse of bits().
    static constexpr EventCode from_bits(uint32_t bits) {
        EventCode code;
        code.bits_ = bits;
        return code;
    }
    static constexpr EventCode from_chars(const char* mcv) { return EventCode(mcv[0], mcv[1], mcv[2]); }

    constexpr char model() const { return static_cast<char>(bits_); }
    constexpr char category() const { return static_cast<char>(bits_ >> 8); }
    constexpr char value() const { return static_cast<char>(bits_ >> 16); }
    // Model in the low byte, then category, then value: below 2^24.
    constexpr uint32_t bits() const { return bits_; }
    // Zero terminated.
    constexpr std::array<char, 4> text() const { return {model(), category(), value(), '\0'}; }

    friend constexpr bool operator==(EventCode, EventCode) = default;

 private:
    constexpr EventCode(char model, char category, char value)
        : bits_(static_cast<uint8_t>(model) | static_cast<uint32_t>(static_cast<uint8_t>(category)) << 8 |
                static_cast<uint32_t>(static_cast<uint8_t>(value)) << 16) {}
    uint32_t bits_ = 0;
};

}  // namespace ovni
