#include "base/directory_pattern.hpp"

#include "base/error.hpp"

namespace ovni {

std::string filled_in(std::string_view option, const std::string& pattern, const std::string& host,
                      const std::string& rank) {
    std::string text;
    for (size_t at = 0; at < pattern.size(); ++at) {
        if (pattern[at] != '%') {
            text += pattern[at];
            continue;
        }
        char letter = ++at < pattern.size() ? pattern[at] : '\0';
        if (letter == 'h')
            text += host.substr(0, host.find('.'));
        else if (letter == 'r')
            text += rank;
        else if (letter == '%')
            text += '%';
        else
            throw UsageError(
                fmt::format("{} {}: %h is the host, %r the rank, %% a percent sign; there "
                            "is nothing else with a percent sign",
                            option, pattern));
    }
    return text;
}

}  // namespace ovni
