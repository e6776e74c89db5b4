// Alarms on properties of instructions: bytes, instruction-set extension, category.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ovni/private.h"

namespace ovni::code {

class InstructionMatch {
 public:
    // Returns false if the alarm's name is unknown; `error` is then a sentence about it.
    bool add(const ovni_private_code_alarm& alarm, std::string& error);
    bool is_empty() const noexcept { return wanted_.empty(); }
    // In ascending order.
    const std::vector<uint16_t>& alarms() const noexcept { return alarms_; }

    // `code` may be read to its end.
    bool holds(const ZydisDecodedInstruction& instruction, const uint8_t* code,
               const uint8_t* end) const noexcept;
    // Calls see(alarm) for all alarms that the instruction matches.
    template <class See>
    void for_each(const ZydisDecodedInstruction& instruction, const uint8_t* code, const uint8_t* end,
                  See see) const noexcept {
        for (size_t i = 0; i < wanted_.size(); ++i)
            if (is_of(wanted_[i], instruction, code, end)) see(alarms_[i]);
    }

 private:
    struct Wanted {
        int kind;
        int number;                  // of the extension or the category
        std::vector<uint8_t> bytes;  // of an itext
    };
    static bool is_of(const Wanted& wanted, const ZydisDecodedInstruction& instruction, const uint8_t* code,
                      const uint8_t* end) noexcept;

    std::vector<Wanted> wanted_;
    std::vector<uint16_t> alarms_;
};

}  // namespace ovni::code
