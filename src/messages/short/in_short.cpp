#include "messages/short/in_short.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "emu/plan/rank_names.hpp"
#include "messages/short/advice.hpp"
#include "messages/short/slow_host.hpp"
#include "messages/short/ways_of_waiting.hpp"
#include "mpi_function_rows.hpp"
#include "trace/metadata.hpp"

namespace ovni {

namespace {

constexpr size_t most_sentences = 5;

class Sentences {
 public:
    explicit Sentences(const ShortSources& of) : of_(of), names_(of.system) {
        for (uint32_t p = 0; p < of.system.processes().size(); ++p) hosts_.insert(host_of(p));
    }

    std::vector<std::string> take() {
        for (const std::string& deadlock : of_.deadlocks) add(2, deadlock + ".");
        const bool has_runs = !of_.efficiencies.empty() && run().runtime > 0;
        const std::vector<HybridEfficiency>& hybrid = of_.threads.efficiencies;
        if (!has_runs && hybrid.empty()) return sorted();
        const bool is_crowded = add_crowd();
        add_other_programs();
        if (has_runs) {
            add_delays();
            add_imbalance();
            add_transfer(is_crowded);
        }
        for (Sentence& sentence : thread_sentences(of_.threads, [this](uint32_t p) { return who(p); }))
            all_.push_back(std::move(sentence));
        if (all_.empty())
            add(0, fmt::format("No cause costs {} of the run: {} for {} of the time.", percent(least_share),
                               hybrid.empty() ? "ranks compute" : "threads compute",
                               percent(hybrid.empty() ? run().parallel() : hybrid.front().parallel())));
        return sorted();
    }

 private:
    struct Late {
        uint64_t all = 0, long_term = 0;
        const DelayCost* most = nullptr;  // the place with most of it
    };

    const Efficiency& run() const { return of_.efficiencies.front(); }
    double share_of(double ns) const { return ns / static_cast<double>(run().runtime); }
    void add(double cost, std::string sentence) { all_.push_back({cost, std::move(sentence)}); }

    std::string host_of(uint32_t process) const {
        const System& system = of_.system;
        const ThreadInfo& thread = system.threads()[system.processes()[process].first_thread];
        return ovni::host_of(of_.trace.streams()[thread.stream].metadata);
    }
    // "rank 3 on node1"; the node is left out if there is only one.
    std::string who(uint32_t process) const {
        return hosts_.size() < 2 ? names_.full(process)
                                 : fmt::format("{} on {}", names_.full(process), one_line(host_of(process)));
    }
    std::string region(int64_t value) const {
        const auto known = of_.regions.find(value);
        return known == of_.regions.end() ? "" : fmt::format(" in region {}", one_line(known->second));
    }
    static std::string in_brackets(const std::map<uint32_t, std::string>& lines, uint32_t key) {
        const auto line = lines.find(key);
        return line == lines.end() ? "" : fmt::format(" ({})", line->second);
    }
    // Two calls between which a rank computes longer than others.
    std::string stretch(uint32_t process) const {
        const auto longer = of_.places.longer.find(process);
        if (longer == of_.places.longer.end()) return "";
        const auto& [from, to] = longer->second;
        return fmt::format("; compared with other ranks it computes longer between {} and {}", from,
                           from == to ? "the next one" : to);
    }
    std::string place(const DelayCost& cost) const {
        const Activity& does = cost.activity;
        if (does.function == outside_of_mpi)
            return fmt::format("outside of MPI{}{}", region(does.region), stretch(cost.process));
        return fmt::format("in {}{}{}", mpi_function_rows[does.function].name,
                           in_brackets(of_.places.of_sites, does.site), region(does.region));
    }

    // "mostly (57 %) ": the part that the place has.
    static std::string mostly(const Late& late) {
        constexpr double nearly_all = 0.9;
        const double part =
            static_cast<double>(late.most->short_term + late.most->long_term) / static_cast<double>(late.all);
        return part >= nearly_all ? "" : fmt::format("mostly ({}) ", percent(part));
    }

    // Others pass on much of the wait for the first one.
    std::string chain(uint32_t first, const Late& late) const {
        constexpr uint64_t part = 3;
        const std::vector<uint32_t> chain = chain_behind(first, of_.waits);
        if (chain.size() < 3 || late.long_term < late.all / part) return "";
        constexpr size_t most = 8;
        std::string ranks;
        for (size_t i = 0; i < std::min(most, chain.size()); ++i)
            ranks += (i == 0 ? "" : ", ") + names_.brief(chain[i]);
        return fmt::format("; it begins a chain of {} ranks, each of which waits for the one before: {}{}",
                           chain.size(), ranks, chain.size() > most ? ", ..." : "");
    }
    std::string polling(uint32_t cause) const {
        const auto function = function_of_polling(cause, of_.waits);
        return !function ? ""
                         : fmt::format(
                               "; others spend most of it in failed calls of {}, with little work in between",
                               mpi_function_rows[*function].name);
    }
    static std::string advice(const DelayCost& cost) {
        const std::string_view advice = advice_on(cost.activity.function);
        return advice.empty() ? "" : fmt::format("; {}", advice);
    }

    // "4 ranks with 8 threads may use CPUs 0-1 alone, so "
    std::string cramped(const ShortSources::Crowd& crowd) const {
        if (crowd.ranks == 0) return "";
        const char* cpus = crowd.list.find_first_of("-,") == std::string::npos ? "CPU" : "CPUs";
        return crowd.ranks == 1 ? fmt::format("{} has {} threads and may use {} {} alone, so ",
                                              who(crowd.cramped), crowd.threads, cpus, crowd.list)
                                : fmt::format("{} ranks with {} threads may use {} {} alone, so ",
                                              crowd.ranks, crowd.threads, cpus, crowd.list);
    }
    static std::string binding(const ShortSources::Crowd& crowd) {
        if (crowd.ranks > 0 && crowd.of_each == 1) return " on this node";
        const std::string threads = crowd.ranks == 0 ? "N" : std::to_string(crowd.of_each);
        return fmt::format(
            ", or give each rank as many CPUs as it has threads (Open MPI: --map-by slot:PE={}, MPICH: "
            "-bind-to core:{})",
            threads, threads);
    }
    // Threads that share a CPU make each other late.
    bool add_crowd() {
        const ShortSources::Crowd& crowd = of_.crowd;
        if (crowd.cpus == 0 || crowd.share < least_share) return false;
        // If there are as many CPUs as threads, other programs make threads share one.
        if (crowd.ranks == 0 && of_.other_programs) return false;
        add(1 + std::min(crowd.share, 0.9),
            fmt::format("Several threads ran at once on {} CPU{}, on {} for {} of the trace, and made each "
                        "other late: {}start fewer{}.",
                        crowd.cpus, crowd.cpus == 1 ? "" : "s", crowd.worst, percent(crowd.share),
                        cramped(crowd), binding(crowd)));
        return true;
    }

    void add_other_programs() {
        if (!of_.other_programs) return;
        const auto& [host, list, cpus, share] = *of_.other_programs;
        add(1 + std::min(share, 0.9),
            fmt::format("Other programs took {} of the time of CPU{} {} of {}, which had no time to spare: "
                        "give the job nodes of its own, or end them.",
                        percent(share), cpus == 1 ? "" : "s", list, one_line(host)));
    }

    static bool passes_messages(uint32_t function) {
        constexpr std::string_view families[] = {"p2p", "completion", "persistent"};
        return function != outside_of_mpi &&
               std::ranges::find(families, mpi_function_rows[function].family) != std::end(families);
    }

    // Others wait for each of these ranks, now or later.
    void add_delays() {
        std::map<uint32_t, Late> by_process;
        const std::optional<SlowHost> slow = slow_host();
        uint64_t for_slow = 0;
        const bool in_storm = is_storm();
        for (const DelayCost& cost : of_.delays) {
            // Each message has to wait for the one before.
            if (in_storm && passes_messages(cost.activity.function)) continue;
            Late& late = by_process[cost.process];
            const auto sum = [](const DelayCost& of) { return of.short_term + of.long_term; };
            late.all += sum(cost);
            late.long_term += cost.long_term;
            if (!late.most || sum(cost) > sum(*late.most)) late.most = &cost;
        }
        for (const auto& [process, late] : by_process) {
            if (slow && host_of(process) == slow->name) {
                for_slow += late.all;
                continue;
            }
            const double of_rank = static_cast<double>(late.all) / run().processes;
            late_ += of_rank;
            if (share_of(of_rank) < least_share) continue;
            std::string sentence =
                fmt::format("Other ranks wait {} in all, {} of the run on average, for {}: it is late {}{}",
                            time_text(static_cast<double>(late.all)), percent(share_of(of_rank)),
                            who(process), mostly(late), place(*late.most)) +
                chain(process, late) + polling(process) + advice(*late.most);
            if (process == run().busiest && run().load_balance() < acceptable_efficiency) {
                sentence += fmt::format("; it computes for {}, ranks on average for {}: share its work",
                                        time_text(static_cast<double>(run().longest_useful)),
                                        time_text(run().mean_useful()));
                names_busiest_ = true;
            }
            blamed_functions_.insert(late.most->activity.function);
            add(share_of(of_rank), sentence + ".");
        }
        if (slow) add_slow_host(*slow, for_slow);
    }
    std::optional<SlowHost> slow_host() const {
        std::map<std::string, std::vector<int64_t>> computes;
        for (const auto& [process, ns] : run().useful_of) computes[host_of(process)].push_back(ns);
        return find_slow_host(computes);
    }
    void add_slow_host(const SlowHost& slow, uint64_t ns) {
        late_ += static_cast<double>(ns) / run().processes;
        const double cost = share_of(static_cast<double>(ns) / run().processes);
        if (cost < least_share) return;
        if (host_of(run().busiest) == slow.name) names_busiest_ = true;
        add(cost, fmt::format(
                      "Other ranks wait {} in all, {} of the run on average, for host {}: all {} ranks on it "
                      "compute for longer than any other rank, {} instead of {} on average: compare its CPUs "
                      "and their load with those of other hosts.",
                      time_text(static_cast<double>(ns)), percent(cost), one_line(slow.name), slow.ranks,
                      time_text(slow.mean), time_text(slow.mean_of_others)));
    }

    void add_imbalance() {
        const double lost = static_cast<double>(run().longest_useful) - run().mean_useful();
        if (names_busiest_ || share_of(lost) < least_share || run().load_balance() >= acceptable_efficiency)
            return;
        add(share_of(lost),
            fmt::format("{} computes for {}, ranks on average for {}: with equal shares the run could be up "
                        "to {} ({}) shorter.",
                        who(run().busiest), time_text(static_cast<double>(run().longest_useful)),
                        time_text(run().mean_useful()), time_text(lost), percent(share_of(lost))));
    }

    // Small messages are so many that the time in functions that pass them is what they take.
    bool is_storm() const {
        constexpr double small = 1024, many = 1000, of_message = 100e3;
        const auto messages = static_cast<double>(of_.messages.matched);
        return messages > many * run().processes && size_of_message() < small &&
               (static_cast<double>(run().runtime) - run().mean_useful()) * run().processes <
                   of_message * messages;
    }
    double size_of_message() const {
        const MessageSummary& all = of_.messages;
        return all.matched == 0 ? 0 : static_cast<double>(all.bytes) / static_cast<double>(all.matched);
    }

    // The time in MPI that no rank causes.
    void add_transfer(bool is_crowded) {
        const bool in_storm = is_storm();
        const double lost = in_storm ? static_cast<double>(run().runtime) - run().mean_useful() - late_
                                     : static_cast<double>(run().runtime - run().ideal_runtime);
        // Ranks without a CPU look as if data took long.
        const bool is_doubtful = is_crowded && of_.crowd.share >= share_of(lost) / 2;
        const bool is_known = in_storm || (run().transfer() < acceptable_efficiency && !is_doubtful);
        if (share_of(lost) < least_share || !is_known) return;
        const auto most =
            std::ranges::max_element(of_.in_functions, {}, [](const auto& f) { return f.second; });
        if (most != of_.in_functions.end() && blamed_functions_.contains(most->first)) return;
        std::string sentence =
            fmt::format("MPI itself takes {} ({} of the run)", time_text(lost), percent(share_of(lost)));
        if (most != of_.in_functions.end() && most->second > 0)
            sentence += fmt::format(", most of it in {}{}", mpi_function_rows[most->first].name,
                                    in_brackets(of_.places.of_functions, most->first));
        if (in_storm)
            sentence += fmt::format(": {} messages have {:.0f} bytes on average, so send several together",
                                    of_.messages.matched, size_of_message());
        if (of_.other_programs && !in_storm) sentence += "; other programs on these CPUs may be the reason";
        add(share_of(lost), sentence + ".");
    }

    std::vector<std::string> sorted() {
        std::ranges::stable_sort(all_, std::greater(), &Sentence::cost);
        std::vector<std::string> sentences;
        for (Sentence& sentence : all_)
            if (sentences.size() < most_sentences) sentences.push_back(std::move(sentence.text));
        return sentences;
    }

    const ShortSources& of_;
    const RankNames names_;
    std::set<std::string> hosts_;
    std::vector<Sentence> all_;
    std::set<uint32_t> blamed_functions_;
    bool names_busiest_ = false;
    double late_ = 0;  // ns that a rank waits on average for ranks that are late
};

}  // namespace

std::vector<std::string> in_short(const ShortSources& of) {
    return Sentences(of).take();
}

}  // namespace ovni
