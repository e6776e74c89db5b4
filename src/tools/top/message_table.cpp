#include "tools/top/message_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "emu/plan/rank_names.hpp"
#include "messages/match/message_lines.hpp"

namespace ovni {

namespace {

// More columns do not fit on a screen.
constexpr size_t most_columns = 16;

// 3 digits: "1.50M".
std::string short_bytes(uint64_t bytes) {
    constexpr std::array<char, 7> units = {' ', 'k', 'M', 'G', 'T', 'P', 'E'};
    constexpr double thousand = 1000;
    auto number = static_cast<double>(bytes);
    size_t unit = 0;
    for (; number >= thousand && unit + 1 < units.size(); ++unit) number /= thousand;
    if (unit == 0) return std::to_string(bytes);
    constexpr double ten = 10, hundred = 100;
    return fmt::format("{:.{}f}{}", number, number < ten ? 2 : number < hundred ? 1 : 0, units[unit]);
}

void print_sizes(const MessageSummary& messages, TextOutput& out) {
    auto to = std::back_inserter(out.text());
    fmt::format_to(to, "\n{:>12} {:>12}\n", "messages", "bytes each");
    for (size_t bits = 0; bits < messages.sizes.size(); ++bits) {
        if (messages.sizes[bits] == 0) continue;
        const uint64_t from = bits == 0 ? 0 : uint64_t{1} << (bits - 1);
        const std::string range =
            bits <= 1 ? std::to_string(from) : fmt::format("{} to {}", from, from + (from - 1));
        fmt::format_to(to, "{:>12} {:>12}\n", messages.sizes[bits], range);
    }
}

void print_pairs(const MessageSummary& messages, const System& system, TextOutput& out) {
    std::vector<Traffic> pairs = messages.traffic;
    std::ranges::stable_sort(pairs, std::greater(), &Traffic::bytes);
    const RankNames names(system);
    auto to = std::back_inserter(out.text());
    fmt::format_to(to, "\n{:>8} {:>8} {:>12} {:>16}\n", "from", "to", "messages", "bytes");
    for (const Traffic& pair : pairs)
        fmt::format_to(to, "{:>8} {:>8} {:>12} {:>16}\n", names.brief(pair.sender),
                       names.brief(pair.receiver), pair.messages, pair.bytes);
}

}  // namespace

void print_messages(const MessageSummary& messages, const System& system, TextOutput& out) {
    auto to = std::back_inserter(out.text());
    for (const std::string& line : message_lines(messages)) fmt::format_to(to, "{}\n", line);
    if (messages.matched == 0) return;
    print_sizes(messages, out);
    print_pairs(messages, system, out);
}

void print_matrix(const MessageSummary& messages, const System& system, TextOutput& out) {
    const bool by_rank = system.processes().size() <= most_columns;
    const size_t size = by_rank ? system.processes().size() : system.looms().size();
    auto place = [&](uint32_t process) { return by_rank ? process : system.processes()[process].loom; };
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes;
    for (const Traffic& pair : messages.traffic)
        bytes[{place(pair.sender), place(pair.receiver)}] += pair.bytes;
    const RankNames names(system);
    auto name = [&](uint32_t at) { return by_rank ? names.brief(at) : one_line(system.looms()[at].name); };
    size_t width = sizeof "from\\to";
    for (uint32_t at = 0; at < size; ++at) width = std::max(width, name(at).size() + 1);
    auto to = std::back_inserter(out.text());
    fmt::format_to(to, "bytes, by {}\n{:>{}}", by_rank ? "rank" : "loom", "from\\to", width);
    for (uint32_t receiver = 0; receiver < size; ++receiver)
        fmt::format_to(to, " {:>{}}", name(receiver), width);
    fmt::format_to(to, "\n");
    for (uint32_t sender = 0; sender < size; ++sender) {
        fmt::format_to(to, "{:>{}}", name(sender), width);
        for (uint32_t receiver = 0; receiver < size; ++receiver) {
            auto found = bytes.find({sender, receiver});
            fmt::format_to(to, " {:>{}}", found == bytes.end() ? "-" : short_bytes(found->second), width);
        }
        fmt::format_to(to, "\n");
    }
}

}  // namespace ovni
