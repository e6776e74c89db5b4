#include "messages/short/thread_sentences.hpp"

#include <algorithm>
#include <numeric>

#include "base/printable.hpp"

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

    // The parallel region that loses most of it; null: none does.
    const ConstructUse* worst(Use use) const {
        const auto found = std::ranges::max_element(
            of_.uses.constructs, {},
            [&](const ConstructUse& construct) { return time_of(construct.times, use); });
        const bool has_some = found != of_.uses.constructs.end() && time_of(found->times, use) > 0;
        return has_some ? &*found : nullptr;
    }
    // The process that loses most of it.
    uint32_t worst_process(Use use) const {
        const ProcessUse* worst = nullptr;
        for (const ProcessUse& of : of_.uses.processes)
            if (of.region == 0 && (!worst || time_of(of.times, use) > time_of(worst->times, use)))
                worst = &of;
        return worst ? worst->process : 0;
    }
    std::string place(const ConstructUse& construct) const {
        const auto label = of_.parallel_regions.find(construct.label);
        return fmt::format("in parallel region {} of {}",
                           label == of_.parallel_regions.end() ? "(unknown)" : one_line(label->second),
                           who_(construct.process));
    }

    std::string of_imbalance() const {
        const ConstructUse* construct = worst(Use::imbalance);
        if (!construct)
            return fmt::format(" at barriers for the last one, most of it in {}: give each as much work.",
                               who_(worst_process(Use::imbalance)));
        return fmt::format(
            " for the slowest one of their team, most of it {}: give each as much work, for "
            "example by schedule(dynamic) or smaller tasks.",
            place(*construct));
    }
    std::string of_scheduling() const {
        const ConstructUse* construct = worst(Use::scheduling);
        if (!construct) return " as parallel regions begin: make fewer and longer ones.";
        return fmt::format(
            " as parallel regions begin and end, most of it {}, which ran {} times for {} on "
            "average: make fewer and longer ones.",
            place(*construct), construct->visits,
            time_text(static_cast<double>(construct->elapsed) /
                      static_cast<double>(std::max<uint64_t>(construct->visits, 1))));
    }
    std::string of_serial() const {
        return fmt::format(
            " outside of parallel regions, most of it in {}: let them share this work, or start "
            "fewer threads.",
            who_(worst_process(Use::serial)));
    }
    std::string of_during_mpi() const {
        return fmt::format(
            " while one thread of their process is in MPI, most of it in {}: let the others "
            "compute in the meantime.",
            who_(worst_process(Use::during_mpi)));
    }
    std::string of_locks() const {
        const ConstructUse* construct = worst(Use::locks);
        const int64_t in_openmp = construct ? time_of(construct->times, Use::locks) : 0;
        std::string where;
        if (of_.lock.ns > static_cast<uint64_t>(in_openmp) / 2 && !of_.lock.name.empty())
            where = fmt::format(", most of it for {} in {}, in {} waits", one_line(of_.lock.name),
                                who_(of_.lock.process), of_.lock.waits);
        else if (construct)
            where = fmt::format(", most of it {}", place(*construct));
        return where + ": hold the lock for a shorter time, or use several.";
    }
    std::string of_sleep() const {
        return fmt::format(
            ", most of it in {}, in conditions, semaphores and joins: give them work, or start "
            "fewer threads.",
            who_(worst_process(Use::sleep)));
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
