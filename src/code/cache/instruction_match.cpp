#include "code/cache/instruction_match.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "code/cache/instruction_names.hpp"

namespace ovni::code {

namespace {

std::string all_of(const InstructionNames& names) {
    std::string all;
    for (int i = 0; i <= names.last; ++i)
        if (const std::string_view name = names.name(i); !name.empty())
            all.append(all.empty() ? "" : ", ").append(name);
    return all;
}

std::vector<uint8_t> bytes_of(std::string_view digits) {
    auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(static_cast<uint8_t>(value(digits[i]) << 4 | value(digits[i + 1])));
    return bytes;
}

}  // namespace

bool InstructionMatch::add(const ovni_private_code_alarm& alarm, std::string& error) {
    Wanted wanted{alarm.kind, 0, {}};
    if (alarm.kind == OVNI_PRIVATE_CODE_ITEXT) {
        wanted.bytes = bytes_of(alarm.text);
    } else {
        const InstructionNames& names =
            alarm.kind == OVNI_PRIVATE_CODE_ISA_EXTENSION ? instruction_extensions : instruction_categories;
        wanted.number = names.number(alarm.text);
        if (wanted.number < 0) {
            error = std::string("no ") + names.what + " has the name " + alarm.text +
                    "; there are: " + all_of(names);
            return false;
        }
    }
    wanted_.push_back(std::move(wanted));
    alarms_.push_back(alarm.number);
    return true;
}

bool InstructionMatch::is_of(const Wanted& wanted, const ZydisDecodedInstruction& instruction,
                             const uint8_t* code, const uint8_t* end) noexcept {
    if (wanted.kind == OVNI_PRIVATE_CODE_ISA_EXTENSION)
        return static_cast<int>(instruction.meta.isa_ext) == wanted.number;
    if (wanted.kind == OVNI_PRIVATE_CODE_ISA_CATEGORY)
        return static_cast<int>(instruction.meta.category) == wanted.number;
    const auto readable = static_cast<size_t>(end - code);
    return wanted.bytes.size() <= readable && memcmp(code, wanted.bytes.data(), wanted.bytes.size()) == 0;
}

bool InstructionMatch::holds(const ZydisDecodedInstruction& instruction, const uint8_t* code,
                             const uint8_t* end) const noexcept {
    return std::ranges::any_of(wanted_,
                               [&](const Wanted& wanted) { return is_of(wanted, instruction, code, end); });
}

}  // namespace ovni::code
