#include "messages/short/thread_sentences.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "messages/hybrid/use_facts.hpp"

namespace ovni {

namespace {

class ThreadSentences {
 public:
    ThreadSentences(const ShortThreads& of, const std::function<std::string(uint32_t)>& who)
        : of_(of), who_(who) {}

    std::vector<Sentence> take() {
        for (const Row& row : rows) {
            const double share = run().share_of(row.use);
            if (share < least_share) continue;
            const std::string start =
                fmt::format("Threads {} {} ({} of the time of all threads)", row.lose,
                            time_text(static_cast<double>(time_of(run().times, row.use))), percent(share));
            all_.push_back({share, start + (this->*row.rest)()});
        }
        return std::move(all_);
    }

 private:
    struct Row {
        Use use;
        std::string_view lose;
        std::string (ThreadSentences::*rest)() const;
    };

    const HybridEfficiency& run() const { return of_.efficiencies.front(); }

    // "40 % of it".
    std::string part(int64_t of_this, Use use) const {
        const double share = static_cast<double>(of_this) / static_cast<double>(time_of(run().times, use));
        return fmt::format("{} of it", percent(std::min(share, 1.0)));
    }
    // The parallel region that loses most of it, in all processes together; nothing: most is lost elsewhere.
    std::optional<ConstructUse> worst(Use use) const {
        int64_t in_constructs = 0;
        const std::vector<ConstructUse> sums = sums_by_label(of_.uses.constructs);
        for (const ConstructUse& sum : sums) in_constructs += time_of(sum.times, use);
        if (2 * in_constructs <= time_of(run().times, use)) return std::nullopt;
        return *std::ranges::max_element(sums, {},
                                         [&](const ConstructUse& of) { return time_of(of.times, use); });
    }
    // "40 % of it in rank 1": the process that loses most of it, unless all are alike.
    std::string in_worst_process(Use use) const {
        const ProcessUse* worst = nullptr;
        int64_t all = 0, processes = 0;
        for (const ProcessUse& of : of_.uses.processes) {
            if (of.region != 0) continue;
            all += time_of(of.times, use);
            ++processes;
            if (!worst || time_of(of.times, use) > time_of(worst->times, use)) worst = &of;
        }
        if (!worst) return "";
        if (processes > 1 && 2 * time_of(worst->times, use) * processes < 3 * all)
            return fmt::format("in all {} processes alike", processes);
        return fmt::format("{} in {}", part(time_of(worst->times, use), use), who_(worst->process));
    }
    // A process is named if it has twice the mean.
    std::string place(const ConstructUse& sum, Use use) const {
        const auto label = of_.parallel_regions.find(sum.label);
        int64_t processes = 0, most = 0;
        for (const ConstructUse& of : of_.uses.constructs) {
            if (of.label != sum.label) continue;
            ++processes;
            if (of.process == sum.process) most = of.lost();
        }
        return fmt::format("{} in parallel region {}{}", part(time_of(sum.times, use), use),
                           label == of_.parallel_regions.end() ? "(unknown)" : one_line(label->second),
                           most * processes >= 2 * sum.lost() || processes == 1
                               ? fmt::format(", most in {}", who_(sum.process))
                               : "");
    }

    std::string of_imbalance() const {
        const std::optional<ConstructUse> construct = worst(Use::imbalance);
        if (!construct)
            return fmt::format(" at barriers for the last one, {}: give each as much work.",
                               in_worst_process(Use::imbalance));
        return fmt::format(
            " for the slowest one of their team, {}: give each as much work, for "
            "example by schedule(dynamic) or smaller tasks.",
            place(*construct, Use::imbalance));
    }
    std::string of_scheduling() const {
        const std::optional<ConstructUse> construct = worst(Use::scheduling);
        if (!construct) return " as parallel regions begin: make fewer and longer ones.";
        return fmt::format(
            " as parallel regions begin and end, {}, which ran {} times for {} on "
            "average: make fewer and longer ones.",
            place(*construct, Use::scheduling), construct->visits,
            time_text(static_cast<double>(construct->elapsed) /
                      static_cast<double>(std::max<uint64_t>(construct->visits, 1))));
    }
    std::string of_serial() const {
        return fmt::format(
            " outside of parallel regions, {}: let them share this work, or start "
            "fewer threads.",
            in_worst_process(Use::serial));
    }
    std::string of_during_mpi() const {
        return fmt::format(
            " while one thread of their process is in MPI, {}: let the others "
            "compute in the meantime.",
            in_worst_process(Use::during_mpi));
    }
    // A process is named if it has most of the time.
    std::string processes_of(const ShortThreads::Lock& lock) const {
        if (lock.processes == 1) return who_(lock.process);
        return 4 * lock.ns_of_process >= 3 * lock.ns
                   ? fmt::format("{} processes, most in {}", lock.processes, who_(lock.process))
                   : fmt::format("{} processes", lock.processes);
    }
    std::string of_locks() const {
        const std::optional<ConstructUse> construct = worst(Use::locks);
        std::string where;
        if (construct)
            where = ", " + place(*construct, Use::locks);
        else if (!of_.lock.name.empty())
            where = fmt::format(", {} for {} in {}, in {} waits",
                                part(static_cast<int64_t>(of_.lock.ns), Use::locks), one_line(of_.lock.name),
                                processes_of(of_.lock), of_.lock.waits);
        return where + ": hold the lock for a shorter time, or use several.";
    }
    std::string of_sleep() const {
        return fmt::format(
            ", {}, in conditions, semaphores and joins: give them work, or start "
            "fewer threads.",
            in_worst_process(Use::sleep));
    }

    static constexpr Row rows[] = {
        {Use::imbalance, "wait", &ThreadSentences::of_imbalance},
        {Use::scheduling, "lose", &ThreadSentences::of_scheduling},
        {Use::serial, "are idle for", &ThreadSentences::of_serial},
        {Use::during_mpi, "are idle for", &ThreadSentences::of_during_mpi},
        {Use::locks, "wait for locks for", &ThreadSentences::of_locks},
        {Use::sleep, "sleep for", &ThreadSentences::of_sleep},
    };

    const ShortThreads& of_;
    const std::function<std::string(uint32_t)>& who_;
    std::vector<Sentence> all_;
};

}  // namespace

std::vector<Sentence> thread_sentences(const ShortThreads& of,
                                       const std::function<std::string(uint32_t)>& who) {
    if (of.efficiencies.empty()) return {};
    return ThreadSentences(of, who).take();
}

}  // namespace ovni
