#include "session/gather.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/log.hpp"
#include "base/wire.hpp"
#include "messages/hybrid/use_facts.hpp"

namespace ovni {

// Found by the argument, so not in the namespace without a name.
static auto fields(GapFact& gap) {
    return std::tie(gap.thread_row, gap.from, gap.to, gap.lost, gap.reason);
}
static auto fields(LabelledType& type) {
    return std::tie(type.process, type.model, type.gid, type.label);
}
static auto fields(Cut& cut) {
    return std::tie(cut.stream, cut.end, cut.cause);
}
static auto fields(CounterCount& count) {
    return std::tie(count.process, count.what.by, count.what.number, count.what.kind, count.what.label,
                    count.ns, count.counts);
}
static auto fields(LockCount::Holder& holder) {
    return std::tie(holder.tid, holder.waits, holder.ns);
}
static auto fields(LockCount& count) {
    return std::tie(count.process, count.kind, count.label, count.waits, count.ns, count.longest,
                    count.holders, count.code);
}
static auto fields(LabelCode& of) {
    return std::tie(of.label, of.code);
}
static auto fields(Fault& fault) {
    return std::tie(fault.thread_row, fault.what);
}

namespace {

struct LostByReason {
    std::string reason;
    uint64_t events = 0;
};
auto fields(LostByReason& lost) {
    return std::tie(lost.reason, lost.events);
}

template <Flat T>
std::vector<T> joined(const PerRank<std::vector<T>>& parts) {
    std::vector<T> all;
    for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

// The processes of a rank may lie between those of another.
template <class T>
std::vector<T> by_process(std::vector<T> all) {
    std::ranges::stable_sort(all, {}, &T::process);
    return all;
}

// As one rank keeps it that has all.
std::set<LabelCode> first_code(const std::vector<LabelCode>& all) {
    std::map<std::string, CodeTexts> by_label;
    for (const LabelCode& of : all) by_label[of.label].add(of.code);
    std::set<LabelCode> first;
    for (const auto& [label, code] : by_label)
        for (const std::string& text : code.all()) first.insert({label, text});
    return first;
}

std::set<std::string> code_texts(const std::vector<LockCount>& locks, const std::vector<LabelCode>& labels) {
    std::set<std::string> texts;
    for (const LockCount& lock : locks) texts.insert(lock.code.begin(), lock.code.end());
    for (const LabelCode& of : labels) texts.insert(of.code);
    return texts;
}

LostEvents gather(const Ranks& ranks, const LostEvents& mine) {
    std::vector<LostByReason> reasons;
    for (const auto& [reason, events] : mine.by_reason) reasons.push_back({reason, events.number()});
    LostEvents all;
    for (const LostByReason& lost : wire::allgather(ranks, reasons))
        all.by_reason[lost.reason] += lost.events;
    std::vector<uint32_t> rows(mine.thread_rows.begin(), mine.thread_rows.end());
    for (uint32_t row : joined(ranks.allgather(rows))) all.thread_rows.insert(row);
    return all;
}

}  // namespace

std::vector<GapFact> gather(const Ranks& ranks, const std::vector<GapFact>& mine) {
    std::vector<GapFact> all = wire::allgather(ranks, mine);
    sort(all);
    return all;
}

std::vector<LabelledType> gather(const Ranks& ranks, const std::vector<LabelledType>& mine) {
    return wire::allgather(ranks, mine);
}

Findings gather(const Ranks& ranks, const Findings& mine) {
    return {wire::allgather(ranks, mine.cuts), joined(ranks.allgather(mine.looms))};
}

EndChecks gather(const Ranks& ranks, const EndChecks& mine) {
    EndChecks all;
    all.faults = wire::allgather(ranks, mine.faults);
    all.crowded = joined(ranks.allgather(mine.crowded));
    const auto& counts = mine.oddities.counts();
    std::vector<uint64_t> sum = ranks.allreduce(Op::sum, std::vector<uint64_t>(counts.begin(), counts.end()));
    for (size_t kind = 0; kind < sum.size(); ++kind) all.oddities.note(static_cast<Oddity>(kind), sum[kind]);
    all.lost = gather(ranks, mine.lost);
    return all;
}

std::vector<Burst> gather(const Ranks& ranks, const Bursts& mine, Moment end) {
    std::vector<Burst> all = joined(ranks.gather(mine.all()));
    std::erase_if(all, [&](const Burst& burst) { return burst.moment() > end; });
    std::ranges::stable_sort(all, {}, &Burst::moment);
    return all;
}

void gather(const Ranks& ranks, const Tallies& mine, ReportContent& content) {
    content.events = by_process(joined(ranks.gather(mine.events.events())));
    content.mpi = by_process(joined(ranks.gather(mine.events.mpi())));
    content.computing = by_process(joined(ranks.gather(mine.events.computing())));
    content.counters = by_process(wire::allgather(ranks, mine.events.counters()));
    content.regions = by_process(joined(ranks.gather(mine.events.regions())));
    content.locks = by_process(wire::allgather(ranks, mine.events.locks()));
    const std::vector<LabelCode> label_code = wire::allgather(ranks, mine.events.label_code());
    content.code_of_labels = first_code(label_code);
    if (ranks.is_root()) content.lines = CodeLines(code_texts(content.locks, label_code));
    content.states = by_process(joined(ranks.gather(mine.states.all())));
    if (!mine.uses) return;
    content.uses.processes = by_process(joined(ranks.gather(mine.uses->processes())));
    content.uses.constructs = by_process(joined(ranks.gather(mine.uses->constructs())));
    content.uses.sleepers = by_process(joined(ranks.gather(mine.uses->sleepers())));
    leave_out_starters(content.uses);
}

std::set<std::string> gather_warnings(const Ranks& ranks) {
    const std::set<std::string> mine = log::kept_warnings();
    std::vector<std::string> sent, further;
    if (ranks.is_root()) sent.assign(mine.begin(), mine.end());
    sent = wire::allgather(ranks, sent);
    std::ranges::set_difference(mine, sent, std::back_inserter(further));
    std::set<std::string> all(sent.begin(), sent.end());
    for (std::string& text : wire::allgather(ranks, further)) all.insert(std::move(text));
    return all;
}

}  // namespace ovni
