#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.hpp"
#include "messages/stuck/open_waits.hpp"

namespace ovni {

namespace {

class LockSpeaker {
 public:
    LockSpeaker(const std::vector<OpenWait>& waits, const Trace& trace, const System& system,
                const Waiting& calls)
        : waits_(waits), trace_(trace), system_(system), calls_(calls) {}

    int64_t length(uint32_t w) const { return time_between(waits_[w].since, waits_[w].until); }

    std::string circle(const std::vector<uint32_t>& circle) const {
        constexpr size_t most = 6;
        std::string text;
        for (size_t i = 0; i < circle.size() && i < most; ++i)
            text += (text.empty() ? where(circle[i]) : "; ") + clause(circle[i]) + time(circle[i]);
        return circle.size() <= most ? text : text + fmt::format("; and {} more", circle.size() - most);
    }
    std::string sentence(uint32_t w) const { return where(w) + clause(w) + activity_of_holder(w) + time(w); }

 private:
    const ThreadInfo& thread(uint32_t w) const {
        return system_.threads()[system_.thread_of_stream(waits_[w].stream)];
    }
    std::string where(uint32_t w) const {
        const ProcessInfo& process = system_.processes()[thread(w).process];
        return process.rank ? fmt::format("rank {}: ", *process.rank)
                            : fmt::format("process {}: ", process.pid);
    }
    // The thread of that process, null if it has no stream.
    const ThreadInfo* find(uint32_t p, int tid) const {
        const ProcessInfo& process = system_.processes()[p];
        for (uint32_t t = 0; t < process.thread_count; ++t)
            if (const ThreadInfo& thread = system_.threads()[process.first_thread + t]; thread.tid == tid)
                return &thread;
        return nullptr;
    }
    std::string name(uint32_t process, int tid) const {
        const ThreadInfo* known = find(process, tid);
        const std::string name = known ? *trace_.streams()[known->stream].metadata.name : "";
        return fmt::format("thread {}{}{}", tid, name.empty() ? "" : " ", one_line(name));
    }
    // "mutex table_lock"; labels of objects without a name begin with the kind.
    std::string object(const OpenWait& wait) const {
        if (wait.object.empty()) return "a " + wait.kind;
        return wait.object.starts_with(wait.kind) ? one_line(wait.object)
                                                  : wait.kind + " " + one_line(wait.object);
    }
    std::string clause(uint32_t w) const {
        const OpenWait& wait = waits_[w];
        const std::string who = name(thread(w).process, thread(w).tid);
        if (wait.tid == 0) return fmt::format("{} waits for {}", who, object(wait));
        const std::string holder = wait.tid == thread(w).tid ? "it" : name(thread(w).process, wait.tid);
        if (wait.kind == "thread") return fmt::format("{} waits for the end of {}", who, holder);
        return fmt::format("{} waits for {}, which {} has", who, object(wait), holder);
    }
    // Empty for a thread in another wait, which has a sentence of its own; not for one in a call of MPI.
    std::string activity_of_holder(uint32_t w) const {
        const ThreadInfo* holder = find(thread(w).process, waits_[w].tid);
        if (!holder) return "";
        const auto call = std::ranges::find(calls_.calls, holder->stream, &WaitingCall::stream);
        if (call == calls_.calls.end()) return "";
        return fmt::format(" and is in {}", mpi_function_rows[call->function].name);
    }
    std::string time(uint32_t w) const {
        return fmt::format(", for {:.1f} s", static_cast<double>(length(w)) / 1e9);
    }

    const std::vector<OpenWait>& waits_;
    const Trace& trace_;
    const System& system_;
    const Waiting& calls_;
};

}  // namespace

std::vector<std::string> sentences(const std::vector<OpenWait>& waits, const Trace& trace,
                                   const System& system, const Waiting& calls, OtherWaits others,
                                   int64_t shortest, size_t most) {
    const LockSpeaker speaker(waits, trace, system, calls);
    std::vector<std::string> lines;
    std::set<uint32_t> printed;
    size_t circles = 0, further = 0;
    for (const std::vector<uint32_t>& circle : circles_of(system, waits)) {
        printed.insert(circle.begin(), circle.end());
        if (circles++ < most) lines.push_back("deadlock: " + speaker.circle(circle));
    }
    if (circles > most) lines.push_back(fmt::format("{} more deadlocks of threads", circles - most));
    for (bool held : {true, false}) {
        if (!held && others == OtherWaits::left_out) break;
        for (uint32_t w = 0; w < waits.size(); ++w) {
            if (printed.contains(w) || (waits[w].tid != 0) != held || speaker.length(w) < shortest) continue;
            if (further++ < most) lines.push_back(speaker.sentence(w));
        }
    }
    if (further > most) lines.push_back(fmt::format("{} more waits of threads", further - most));
    return lines;
}

}  // namespace ovni
