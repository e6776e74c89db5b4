#include "mpi/emu/gather.hpp"

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "mpi/emu/packed_text.hpp"

namespace ovni {

namespace {

using Json = nlohmann::json;

template <class Item, class Pack, class Unpack>
std::vector<Item> gather_packed(const Comm& comm, const std::vector<Item>& mine, Pack pack, Unpack unpack) {
    Json own = Json::array();
    for (const Item& item : mine) own.push_back(pack(item));
    std::vector<Item> all;
    for (const std::vector<uint8_t>& of_rank : comm.allgather(Json::to_cbor(own)))
        for (const Json& item : Json::from_cbor(of_rank)) all.push_back(unpack(item));
    return all;
}

std::vector<std::string> gather_texts(const Comm& comm, const std::vector<std::string>& mine) {
    return gather_packed(comm, mine, packed, unpacked);
}

template <Flat T>
std::vector<T> joined(const PerRank<std::vector<T>>& parts) {
    std::vector<T> all;
    for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

// Those that come from the metadata every rank has: rank 0 tells them, others what it does not know.
std::set<std::string> gather_warnings(const Comm& comm) {
    const std::set<std::string>& mine = log::kept_warnings();
    std::vector<std::string> told, further;
    if (comm.is_root()) told.assign(mine.begin(), mine.end());
    told = gather_texts(comm, told);
    std::ranges::set_difference(mine, told, std::back_inserter(further));
    std::set<std::string> all(told.begin(), told.end());
    for (std::string& text : gather_texts(comm, further)) all.insert(std::move(text));
    return all;
}

}  // namespace

std::vector<GapFact> gather(const Comm& comm, const std::vector<GapFact>& mine) {
    std::vector<GapFact> all = gather_packed(
        comm, mine,
        [](const GapFact& gap) {
            return Json{gap.thread_row, gap.from, gap.to, gap.lost, packed(gap.reason)};
        },
        [](const Json& gap) {
            return GapFact{gap[0].get<uint32_t>(), gap[1].get<int64_t>(), gap[2].get<int64_t>(),
                           gap[3].get<uint64_t>(), unpacked(gap[4])};
        });
    sort(all);
    return all;
}

std::vector<LabelledType> gather(const Comm& comm, const std::vector<LabelledType>& mine) {
    return gather_packed(
        comm, mine,
        [](const LabelledType& type) {
            return Json{type.process, type.model, type.gid, packed(type.label)};
        },
        [](const Json& type) {
            return LabelledType{type[0].get<uint32_t>(), type[1].get<char>(), type[2].get<int64_t>(),
                                unpacked(type[3])};
        });
}

Findings gather(const Comm& comm, const Findings& mine) {
    Findings all;
    all.cuts = gather_packed(
        comm, mine.cuts,
        [](const Cut& cut) {
            return Json{cut.stream, cut.end, packed(cut.cause)};
        },
        [](const Json& cut) {
            return Cut{cut[0].get<uint32_t>(), cut[1].get<uint64_t>(), unpacked(cut[2])};
        });
    all.looms = joined(comm.allgather(mine.looms));
    return all;
}

LostEvents gather(const Comm& comm, const LostEvents& mine) {
    using Reason = std::pair<std::string, uint64_t>;
    std::vector<Reason> reasons;
    for (const auto& [reason, events] : mine.by_reason) reasons.emplace_back(reason, events.number());
    LostEvents all;
    for (const auto& [reason, events] : gather_packed(
             comm, reasons,
             [](const Reason& reason) {
                 return Json{packed(reason.first), reason.second};
             },
             [](const Json& reason) { return Reason(unpacked(reason[0]), reason[1].get<uint64_t>()); }))
        all.by_reason[reason] += events;
    std::vector<uint32_t> rows(mine.thread_rows.begin(), mine.thread_rows.end());
    for (uint32_t row : joined(comm.allgather(rows))) all.thread_rows.insert(row);
    return all;
}

EndChecks gather(const Comm& comm, const EndChecks& mine) {
    EndChecks all;
    all.faults = gather_packed(
        comm, mine.faults,
        [](const Fault& fault) {
            return Json{fault.thread_row, packed(fault.what)};
        },
        [](const Json& fault) {
            return Fault{fault[0].get<uint32_t>(), unpacked(fault[1])};
        });
    all.crowded = joined(comm.allgather(mine.crowded));
    const auto& counts = mine.oddities.counts();
    std::vector<uint64_t> sum = comm.allreduce(Op::sum, std::vector<uint64_t>(counts.begin(), counts.end()));
    for (size_t kind = 0; kind < sum.size(); ++kind) all.oddities.note(static_cast<Oddity>(kind), sum[kind]);
    all.lost = gather(comm, mine.lost);
    return all;
}

void gather(const Comm& comm, const Tallies& mine, ReportContent& content) {
    content.events = joined(comm.gather(mine.events.events()));
    content.mpi = joined(comm.gather(mine.events.mpi()));
    content.states = joined(comm.gather(mine.states.all()));
    content.warnings = gather_warnings(comm);
}

}  // namespace ovni
