#include "code/function_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace ovni::code {

namespace {

constexpr std::string_view anonymous = "(anonymous namespace)";
constexpr std::string_view keyword = "operator";

// The length of an operator's name at `at`, with its signs: "operator()", "operator<<"; 0 if there is none.
size_t operator_length(std::string_view name, size_t at) {
    if (name.substr(at, keyword.size()) != keyword) return 0;
    if (at > 0 && name[at - 1] != ':' && name[at - 1] != ' ') return 0;
    std::string_view rest = name.substr(at + keyword.size());
    if (rest.starts_with("()")) return keyword.size() + 2;
    return keyword.size() + std::min(rest.find_first_not_of("<>=!+-*/%^&|~,[]"), rest.size());
}

struct Cut {
    size_t begin = 0;  // of the last scope
    size_t end = 0;    // of the name, where parameters or arguments of its template begin
};

// The last scope of the name, and the end of what is a name in it.
Cut cut_of(std::string_view name) {
    Cut cut;
    size_t depth = 0;
    size_t arguments = name.npos;
    size_t at = 0;
    for (; at < name.size(); ++at) {
        if (depth == 0)
            if (size_t length = operator_length(name, at)) {
                cut = {at, at + length};
                return cut;
            }
        if (name.substr(at, anonymous.size()) == anonymous) {
            at += anonymous.size() - 1;
            continue;
        }
        const char c = name[at];
        if (c == '(' && depth == 0) break;
        if (c == '<' && depth++ == 0) arguments = at;
        if (c == '>' && depth > 0) --depth;
        if ((c == ':' || c == ' ') && depth == 0) {
            cut.begin = at + 1;
            arguments = name.npos;
        }
    }
    cut.end = std::min(arguments, at);
    return cut;
}

// The name in the source of a symbol that gfortran made.
std::string_view fortran_name(std::string_view symbol) {
    constexpr std::string_view module_sign = "_MOD_";
    if (symbol.starts_with("__"))
        if (const size_t at = symbol.find(module_sign); at != symbol.npos)
            return symbol.substr(at + module_sign.size());
    if (symbol.size() > 1 && symbol.ends_with('_') && !symbol.starts_with('_'))
        return symbol.substr(0, symbol.size() - 1);
    return symbol;
}

}  // namespace

std::string_view plain_symbol(std::string_view symbol) {
    for (const std::string_view end : {"@", ".isra.", ".constprop."})
        symbol = symbol.substr(0, symbol.find(end));
    return symbol;
}

bool is_fragment(std::string_view symbol) {
    return symbol.find(".cold") != symbol.npos || symbol.find(".part.") != symbol.npos;
}

std::string demangled(std::string_view plain_symbol) {
    std::string name(plain_symbol);
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    if (text != nullptr) name = text;
    free(text);
    return name;
}

std::string bare_name(std::string_view name) {
    const Cut cut = cut_of(name);
    if (cut.begin >= cut.end) return std::string(name);
    const std::string_view bare = name.substr(cut.begin, cut.end - cut.begin);
    return std::string(bare.size() == name.size() ? fortran_name(name) : bare);
}

}  // namespace ovni::code
