#include "code/code_scan.hpp"

#include <Zydis/Zydis.h>

#include <cstring>
#include <span>

namespace ovni::code {

namespace {

using Bytes = std::span<const uint8_t>;

bool begins_with(Bytes code, std::initializer_list<uint8_t> wanted) {
    return code.size() >= wanted.size() && memcmp(code.data(), wanted.begin(), wanted.size()) == 0;
}

// mov ebx, immediate; then fs addr32 nop
bool is_ssc(Bytes code, uint32_t& immediate) {
    constexpr size_t nop_at = 5;
    if (!begins_with(code, {0xbb}) || code.size() < nop_at) return false;
    if (!begins_with(code.subspan(nop_at), {0x64, 0x67, 0x90})) return false;
    memcpy(&immediate, &code[1], sizeof immediate);
    return true;
}

// The instruction at the beginning of the code.
Marker marker_of(Bytes code, uint32_t& immediate) {
    if (is_ssc(code, immediate)) return Marker::ssc;
    // xchg ebx, ebx and xchg bx, bx
    if (begins_with(code, {0x87, 0xdb}) || begins_with(code, {0x66, 0x87, 0xdb})) return Marker::magic;
    if (begins_with(code, {0x0f, 0xa2})) return Marker::cpuid;
    return Marker::none;
}

}  // namespace

void for_each_marker(const ElfImage& image,
                     const std::function<void(uintptr_t address, Marker, uint32_t immediate)>& see) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    for (const CodeRange& range : covered_code(image)) {
        const Bytes code(reinterpret_cast<const uint8_t*>(range.begin), range.end - range.begin);
        for (size_t at = 0; at < code.size();) {
            ZydisDecodedInstruction instruction;
            const Bytes rest = code.subspan(at);
            if (!ZYAN_SUCCESS(
                    ZydisDecoderDecodeInstruction(&decoder, nullptr, rest.data(), rest.size(), &instruction)))
                break;
            uint32_t immediate = 0;
            if (const Marker marker = marker_of(rest, immediate); marker != Marker::none)
                see(range.begin + at, marker, immediate);
            at += instruction.length;
        }
    }
}

}  // namespace ovni::code
