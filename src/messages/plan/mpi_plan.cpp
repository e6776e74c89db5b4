#include "messages/plan/mpi_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "emu/plan/worlds.hpp"
#include "messages/plan/plan_communicators.hpp"
#include "messages/scan/members_wire.hpp"

namespace ovni {

namespace {

constexpr int64_t never = INT64_MAX;
constexpr const char* host_of_unrecorded = "not-recorded";

class PlanMaker {
 public:
    PlanMaker(const Trace& trace, const System& system, const std::vector<int64_t>& init)
        : trace_(trace), system_(system), init_(init) {
        plan_.thread_of_row.assign(system.threads().size(), MpiPlan::none);
    }

    void add(const World& world);
    MpiPlan take() { return std::move(plan_); }

 private:
    std::vector<uint32_t> threads_of(const ProcessInfo& process) const;
    void add_task(MpiPlan::File& file, const ProcessInfo* process);
    void number_cpus(const MpiPlan::File& file);

    const Trace& trace_;
    const System& system_;
    const std::vector<int64_t>& init_;
    MpiPlan plan_;
};

// The tools take the first thread for the one that calls MPI.
std::vector<uint32_t> PlanMaker::threads_of(const ProcessInfo& process) const {
    std::vector<uint32_t> threads;
    for (uint32_t t = 0; t < process.thread_count; ++t) threads.push_back(process.first_thread + t);
    auto rank = [&](uint32_t t) { return std::pair(init_[t], system_.threads()[t].tid != process.pid); };
    const auto first = std::ranges::min_element(threads, {}, rank);
    if (first != threads.end()) std::rotate(threads.begin(), first, first + 1);
    return threads;
}

void PlanMaker::add_task(MpiPlan::File& file, const ProcessInfo* process) {
    const std::vector<uint32_t> threads =
        process ? threads_of(*process) : std::vector<uint32_t>{MpiPlan::none};
    const std::string host = process
                                 ? host_of(trace_.streams()[system_.threads()[threads[0]].stream].metadata)
                                 : host_of_unrecorded;
    auto node = std::ranges::find(file.nodes, host, &MpiPlan::Node::name);
    if (node == file.nodes.end()) node = file.nodes.insert(node, {host, 0});
    node->threads += static_cast<uint32_t>(threads.size());
    const bool is_init_seen =
        process && std::ranges::any_of(threads, [&](uint32_t t) { return init_[t] != never; });
    MpiPlan::Thread thread;
    thread.file = static_cast<uint32_t>(plan_.files.size());
    thread.task = static_cast<uint32_t>(file.tasks.size());
    thread.lacks_init = !is_init_seen;
    for (uint32_t t : threads) {
        thread.row = t;
        if (t != MpiPlan::none) plan_.thread_of_row[t] = static_cast<uint32_t>(plan_.threads.size());
        file.threads.push_back(static_cast<uint32_t>(plan_.threads.size()));
        plan_.threads.push_back(thread);
        ++thread.thread;
        thread.lacks_init = false;
    }
    file.tasks.push_back({static_cast<uint32_t>(node - file.nodes.begin()),
                          static_cast<uint32_t>(threads.size()), process != nullptr});
}

// A CPU for each thread, node by node.
void PlanMaker::number_cpus(const MpiPlan::File& file) {
    std::vector<uint32_t> next;
    uint32_t before = 0;
    for (const MpiPlan::Node& node : file.nodes) {
        next.push_back(before);
        before += node.threads;
    }
    for (uint32_t t : file.threads) plan_.threads[t].cpu = next[file.tasks[plan_.threads[t].task].node]++;
}

void PlanMaker::add(const World& world) {
    MpiPlan::File file;
    for (int rank = 0; rank < world.size; ++rank) {
        const auto known = world.processes.find(rank);
        add_task(file, known == world.processes.end() ? nullptr : &system_.processes()[known->second]);
    }
    number_cpus(file);
    MpiPlan::Members all;
    for (uint32_t task = 1; task <= file.tasks.size(); ++task) all.push_back(task);
    file.communicators.push_back(std::move(all));
    plan_.files.push_back(std::move(file));
}

}  // namespace

FoundPlan find_mpi_plan(const Ranks& ranks, const Trace& trace, const System& system, const Scanned& scanned,
                        int64_t origin) {
    const MpiTimeline& timeline = scanned.timeline;
    std::vector<int64_t> init(system.threads().size(), never);
    for (const InitCall& call : timeline.init) {
        int64_t& first = init[system.thread_of_stream(call.stream)];
        first = std::min(first, call.clock);
    }
    init = ranks.allreduce(Op::min, std::move(init));
    std::vector<CommunicatorUse> uses;
    for (const std::vector<CommunicatorUse>& of_rank : ranks.allgather(timeline.uses))
        uses.insert(uses.end(), of_rank.begin(), of_rank.end());
    std::vector<MemberList> lists = wire::allgather(ranks, scanned.members);
    const int64_t last = ranks.allreduce(Op::max, timeline.last_clock);
    FoundPlan found;
    ranks.agree([&] {
        PlanMaker maker(trace, system, init);
        for (const World& world : worlds(system)) maker.add(world);
        found.plan = maker.take();
        found.plan.end = std::max(last - origin, int64_t{0});
        found.communicators = add_communicators(found.plan, system, std::move(uses), std::move(lists));
    });
    return found;
}

}  // namespace ovni
