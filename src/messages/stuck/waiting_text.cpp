#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "emu/plan/worlds.hpp"
#include "messages/stuck/rank_list.hpp"
#include "messages/stuck/waiting.hpp"

namespace ovni {

namespace {

class CallSpeaker {
 public:
    CallSpeaker(const Waiting& waiting, const System& system) : waiting_(waiting), system_(system) {
        for (const World& world : worlds(system)) {
            ++worlds_;
            for (const auto& [rank, process] : world.processes) {
                world_of_[process] = worlds_;
                ranks_[process] = rank;
            }
        }
    }

    std::string circle(const std::vector<uint32_t>& calls) const {
        constexpr size_t most = 6;
        std::string text;
        for (size_t i = 0; i < calls.size() && i < most; ++i)
            text += (text.empty() ? "" : "; ") + sentence({calls[i]});
        return calls.size() <= most ? text : text + fmt::format("; and {} more", calls.size() - most);
    }

    // Calls that wait for one thing since about one time.
    std::string sentence(const std::vector<uint32_t>& calls) const {
        const WaitingCall& first = waiting_.calls[calls.front()];
        int64_t shortest = time_between(first.since, first.until), longest = shortest;
        for (uint32_t c : calls) {
            const WaitingCall& call = waiting_.calls[c];
            shortest = std::min(shortest, time_between(call.since, call.until));
            longest = std::max(longest, time_between(call.since, call.until));
        }
        std::string time = seconds(longest);
        if (seconds(shortest) != time) time = seconds(shortest) + " to " + time;
        const std::string_view function = mpi_function_rows[first.function].name;
        return first.what.empty()
                   ? fmt::format("{} {} in {} for {} s", who(calls), calls.size() == 1 ? "is" : "are",
                                 function, time)
                   : fmt::format("{} {} in {} for {}, for {} s", who(calls),
                                 calls.size() == 1 ? "waits" : "wait", function, first.what, time);
    }

    // Equal calls of one world stand together.
    std::vector<std::vector<uint32_t>> groups(const std::set<uint32_t>& left_out, int64_t shortest) const {
        std::map<std::tuple<size_t, uint32_t, std::string>, std::vector<uint32_t>> groups;
        for (uint32_t c = 0; c < waiting_.calls.size(); ++c) {
            const WaitingCall& call = waiting_.calls[c];
            if (left_out.contains(c) || time_between(call.since, call.until) < shortest) continue;
            groups[{world(call.process), call.function, call.what}].push_back(c);
        }
        std::vector<std::vector<uint32_t>> all;
        for (auto& [what, calls] : groups) all.push_back(std::move(calls));
        std::ranges::stable_sort(all, {}, [](const auto& calls) { return calls.front(); });
        return all;
    }

 private:
    static std::string seconds(int64_t ns) { return fmt::format("{:.1f}", static_cast<double>(ns) / 1e9); }

    size_t world(uint32_t process) const {
        auto known = world_of_.find(process);
        return known == world_of_.end() ? 0 : known->second;
    }

    std::string who(const std::vector<uint32_t>& calls) const {
        std::set<int> ranks;
        std::string pids;
        for (uint32_t c : calls) {
            uint32_t process = waiting_.calls[c].process;
            if (auto rank = ranks_.find(process); rank != ranks_.end())
                ranks.insert(rank->second);
            else
                pids +=
                    fmt::format("{}process {}", pids.empty() ? "" : ", ", system_.processes()[process].pid);
        }
        std::string text = ranks.empty() ? pids : rank_list({ranks.begin(), ranks.end()});
        size_t number = world(waiting_.calls[calls.front()].process);
        return worlds_ > 1 && number > 0 ? fmt::format("{} of world {}", text, number) : text;
    }

    const Waiting& waiting_;
    const System& system_;
    size_t worlds_ = 0;
    std::map<uint32_t, size_t> world_of_;  // from 1
    std::map<uint32_t, int> ranks_;
};

}  // namespace

std::vector<std::string> sentences(const Waiting& waiting, const System& system, int64_t shortest,
                                   size_t most) {
    CallSpeaker speaker(waiting, system);
    std::vector<std::string> lines;
    std::set<uint32_t> printed;
    size_t circles = 0;
    for (const std::vector<uint32_t>& circle : waiting.circles) {
        bool is_long = std::ranges::all_of(circle, [&](uint32_t c) {
            return time_between(waiting.calls[c].since, waiting.calls[c].until) >= shortest;
        });
        // Only one of the circles that share a call is printed: the other calls have lines of their own.
        if (!is_long || std::ranges::any_of(circle, [&](uint32_t c) { return printed.contains(c); }))
            continue;
        if (circles++ < most) lines.push_back("deadlock: " + speaker.circle(circle));
        printed.insert(circle.begin(), circle.end());
    }
    if (circles > most) lines.push_back(fmt::format("{} more deadlocks", circles - most));
    auto groups = speaker.groups(printed, shortest);
    for (size_t g = 0; g < groups.size() && g < most; ++g) lines.push_back(speaker.sentence(groups[g]));
    if (groups.size() > most) lines.push_back(fmt::format("{} more waits", groups.size() - most));
    return lines;
}

std::vector<std::string> deadlocks_in(const Waiting& waiting, const System& system) {
    if (waiting.circles.empty()) return {};
    std::vector<std::string> lines = sentences(waiting, system, 0, waiting.circles.size());
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("deadlock: "); });
    return lines;
}

}  // namespace ovni
