#include "session/report/messages_in_report.hpp"

#include <map>
#include <utility>

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

Json causes_of(const MessageSummary::ByCause& counts) {
    Json causes = Json::object();
    for (size_t cause = 0; cause < counts.size(); ++cause)
        if (counts[cause] > 0) causes[std::string(unmatched_names[cause])] = counts[cause];
    return causes;
}

// Messages by their number of bytes: "from" to 2 * from - 1.
Json sizes_of(const MessageSummary& messages) {
    Json sizes = Json::array();
    for (size_t bits = 0; bits < messages.sizes.size(); ++bits)
        if (messages.sizes[bits] > 0)
            sizes.push_back({{"from", bits == 0 ? uint64_t{0} : uint64_t{1} << (bits - 1)},
                             {"messages", messages.sizes[bits]}});
    return sizes;
}

Json messages_by_process(const MessageSummary& messages, const System& system) {
    auto rank_of = [&](uint32_t process) {
        const auto& rank = system.processes()[process].rank;
        return rank ? Json(*rank) : Json();
    };
    Json pairs = Json::array();
    for (const Traffic& traffic : messages.traffic)
        pairs.push_back({{"from", traffic.sender},
                         {"to", traffic.receiver},
                         {"from_rank", rank_of(traffic.sender)},
                         {"to_rank", rank_of(traffic.receiver)},
                         {"messages", traffic.messages},
                         {"bytes", traffic.bytes}});
    return pairs;
}

Json by_loom(const MessageSummary& messages, const System& system) {
    std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> sums;
    for (const Traffic& traffic : messages.traffic) {
        auto& [count, bytes] =
            sums[{system.processes()[traffic.sender].loom, system.processes()[traffic.receiver].loom}];
        count += traffic.messages;
        bytes += traffic.bytes;
    }
    Json pairs = Json::array();
    for (const auto& [looms, sum] : sums)
        pairs.push_back({{"from", system.looms()[looms.first].name},
                         {"to", system.looms()[looms.second].name},
                         {"messages", sum.first},
                         {"bytes", sum.second}});
    return pairs;
}

}  // namespace

nlohmann::ordered_json messages_in(const MessageSummary& messages, const System& system) {
    return {{"matched", messages.matched},
            {"bytes", messages.bytes},
            {"unmatched_sends", causes_of(messages.sends)},
            {"unmatched_receives", causes_of(messages.receives)},
            {"keys", messages.keys},
            {"realigned_keys", messages.realigned},
            {"unordered_keys", messages.unordered},
            {"backward", messages.backward},
            {"unknown_communicator", messages.unknown_communicator},
            {"sizes", sizes_of(messages)},
            {"matrix", messages_by_process(messages, system)},
            {"nodes", by_loom(messages, system)}};
}

}  // namespace ovni
