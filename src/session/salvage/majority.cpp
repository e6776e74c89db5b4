#include "session/salvage/majority.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "emu/plan/trace_plan.hpp"
#include "trace/run_vote.hpp"

namespace ovni {

namespace {

// A claim of a stream: the property `about` has the value `what`. Streams of one trace have equal claims or
// none.
struct Claim {
    std::string about, what;
};
using Claims = std::vector<Claim>;

Claims about_run(const StreamMetadata& m, const RunVote& vote) {
    if (!vote.counts(m)) return {};
    return {{"the run", *m.common->run}};
}

Claims about_processes(const StreamMetadata& m, const RunVote&) {
    Claims claims;
    auto add = [&](const char* member, const std::optional<int>& value) {
        if (value)
            claims.push_back(
                {fmt::format("{} of process {} of loom {}", member, m.process->pid, m.common->loom),
                 std::to_string(*value)});
    };
    add("ovni.app_id", m.process->app_id);
    add("ovni.rank", m.process->rank);
    if (m.process->rank) add("ovni.nranks", m.process->nranks);
    for (CpuId cpu : m.common->cpus)
        claims.push_back({fmt::format("the index of CPU {} of loom {}", cpu.phyid, m.common->loom),
                          std::to_string(cpu.index)});
    return claims;
}

Claims about_definitions(const StreamMetadata& m, const RunVote&) {
    Claims claims;
    for (const MarkType& mark : *m.common->marks) {
        claims.push_back({fmt::format("the title of mark type {}", mark.type), mark.title});
        claims.push_back({fmt::format("the kind of mark type {}", mark.type),
                          mark_kind_names[static_cast<size_t>(mark.kind)]});
        for (const auto& [value, label] : mark.labels)
            claims.push_back({fmt::format("the label of value {} of mark type {}", value, mark.type), label});
    }
    if (!m.common->hardware_counters.empty())
        claims.push_back(
            {"the number of hardware counters", std::to_string(m.common->hardware_counters.size())});
    for (const auto& [index, name] : m.common->hardware_counters)
        claims.push_back({fmt::format("the name of hardware counter {}", index), name});
    return claims;
}

// The answers about one thing, in order of first mention.
class Vote {
 public:
    void add(const std::string& what) {
        auto said = std::ranges::find(answers_, what, &Answer::what);
        if (said == answers_.end()) said = answers_.insert(said, {what, 0});
        ++said->streams;
    }
    const std::string& winner() const {
        return std::ranges::max_element(answers_, {}, &Answer::streams)->what;
    }

 private:
    struct Answer {
        std::string what;
        size_t streams;
    };
    std::vector<Answer> answers_;
};

// Why the stream is left out; empty where it says what most say.
std::string dissent(const Claims& claims, const std::unordered_map<std::string, Vote>& votes) {
    for (const Claim& claim : claims)
        if (const std::string& winner = votes.at(claim.about).winner(); winner != claim.what)
            return fmt::format("{} is '{}' here and '{}' in most streams", claim.about, claim.what, winner);
    return {};
}

}  // namespace

void leave_out_minorities(std::vector<Stream>& streams, std::vector<Damage>& damages) {
    const RunVote runs(streams);
    // Streams that have lost one vote have none in the next.
    for (auto claims_of : {about_run, about_processes, about_definitions}) {
        std::vector<Claims> claims;
        std::unordered_map<std::string, Vote> votes;
        for (const Stream& stream : streams) {
            claims.push_back(claims_of(stream.metadata, runs));
            for (const Claim& claim : claims.back()) votes[claim.about].add(claim.what);
        }
        size_t kept = 0;
        for (size_t i = 0; i < streams.size(); ++i) {
            std::string cause = dissent(claims[i], votes);
            if (!cause.empty())
                replace(damages, {streams[i].relative_path(), std::move(cause), {}});
            else if (size_t to = kept++; to != i)
                streams[to] = std::move(streams[i]);
        }
        streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(kept), streams.end());
    }
}

}  // namespace ovni
