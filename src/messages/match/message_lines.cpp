#include "messages/match/message_lines.hpp"

#include <fmt/format.h>

namespace ovni {

namespace {

std::string causes_text(const MessageSummary::ByCause& counts) {
    std::string text;
    for (size_t cause = 0; cause < counts.size(); ++cause)
        if (counts[cause] > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", unmatched_names[cause], counts[cause]);
    return text;
}

}  // namespace

std::vector<std::string> message_lines(const MessageSummary& messages) {
    std::vector<std::string> lines{
        fmt::format("{} messages with {} bytes", messages.matched, messages.bytes)};
    if (std::string causes = causes_text(messages.sends); !causes.empty())
        lines.push_back("sends without a receive: " + causes);
    if (std::string causes = causes_text(messages.receives); !causes.empty())
        lines.push_back("receives without a send: " + causes);
    if (messages.unknown_communicator > 0)
        lines.push_back(fmt::format("{} sends or receives on communicators that the trace does not describe",
                                    messages.unknown_communicator));
    if (messages.backward > 0)
        lines.push_back(fmt::format("{} messages arrive before they are sent: clocks of nodes differ",
                                    messages.backward));
    return lines;
}

}  // namespace ovni
