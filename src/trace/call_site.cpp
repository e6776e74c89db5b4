#include "trace/call_site.hpp"

#include <algorithm>

#include "core/parse_number.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// The text up to the next space, which is taken away with it.
std::string_view next_word(std::string_view& text) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
}

bool is_hexadecimal(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::optional<CallSite::Caller> parse_caller(std::string_view text) {
    constexpr std::string_view separator = "+0x";
    constexpr int hexadecimal = 16;
    size_t at = text.find(separator);
    if (at == text.npos) return std::nullopt;
    std::string_view module = text.substr(0, at);
    auto offset = parse_number<uint64_t>(text.substr(at + separator.size()), hexadecimal);
    auto module_number = parse_number<uint32_t>(module);
    if (!offset || (!module_number && module != "?")) return std::nullopt;
    return CallSite::Caller{module_number, *offset};
}

}  // namespace

std::optional<CodeModule> parse_module(std::string_view text) {
    std::string_view build_id = next_word(text), base = next_word(text);
    if (build_id == "-") build_id = {};
    if (!is_hexadecimal(build_id) || base.empty() || !is_hexadecimal(base) || text.empty())
        return std::nullopt;
    return CodeModule{std::string(build_id), std::string(text)};
}

std::optional<CodePlace> parse_code_place(std::string_view text) {
    constexpr int hexadecimal = 16;
    const std::optional<CodeModule> module = parse_module(text);
    if (!module) return std::nullopt;
    next_word(text);
    const auto offset = parse_number<uint64_t>(next_word(text), hexadecimal);
    if (!offset) return std::nullopt;
    return CodePlace{*module, *offset};
}

std::optional<CallSite> parse_call_site(std::string_view text) {
    if (text.ends_with(' ')) return std::nullopt;
    CallSite site{std::string(next_word(text)), {}};
    while (!text.empty()) {
        auto caller = parse_caller(next_word(text));
        if (!caller) return std::nullopt;
        site.callers.push_back(*caller);
    }
    if (site.function.empty() || site.callers.empty() || site.callers.size() > OVNI_MPI_MOST_CALLERS)
        return std::nullopt;
    return site;
}

}  // namespace ovni
