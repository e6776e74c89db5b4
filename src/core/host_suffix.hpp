// Names of nodes whose host names are equal up to the first dot: "-2", "-3" and so on are appended, in the
// order of their lowest ranks. A number is skipped if it would make the name of another node. Streams and
// tables of clock offsets name nodes by this rule.
#pragma once

#include <charconv>
#include <string_view>

namespace ovni {

// True if `name` is `host` followed by "-number".
inline bool has_suffix(std::string_view name, std::string_view host, int number) noexcept {
    char digits[16];
    auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    std::string_view suffix(digits, static_cast<size_t>(end - digits));
    return name.size() == host.size() + 1 + suffix.size() && name.starts_with(host) &&
           name[host.size()] == '-' && name.ends_with(suffix);
}

// The number appended to the name of node `node`, 0 for none. `name_of(i)`, a std::string_view, is the short
// host name of the i-th of `count` nodes.
template <class NameOf>
int host_suffix(int node, int count, NameOf name_of) noexcept {
    std::string_view host = name_of(node);
    int equal_before = 0;
    for (int i = 0; i < node; ++i) equal_before += name_of(i) == host;
    int number = 0;
    for (int next = 2; equal_before > 0; ++next) {
        bool taken = false;
        for (int i = 0; i < count; ++i) taken |= has_suffix(name_of(i), host, next);
        if (taken) continue;
        number = next;
        --equal_before;
    }
    return number;
}

}  // namespace ovni
