#include "sink/otf2/otf2_sink.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/open_directory.hpp"
#include "sink/all_labels.hpp"
#include "sink/otf2/otf2_archive.hpp"
#include "sink/otf2/otf2_communicators.hpp"
#include "sink/otf2/otf2_definitions.hpp"
#include "sink/otf2/otf2_directory.hpp"
#include "sink/otf2/otf2_location.hpp"
#include "sink/otf2/otf2_objects.hpp"
#include "sink/output_names.hpp"
#include "sink/shown_types.hpp"
#include "sink/slice_messages.hpp"

namespace ovni {

namespace {

namespace fs = std::filesystem;

// Shells complete the name of a directory with a slash.
fs::path without_slash(fs::path path) {
    while (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
    return path;
}

class Otf2Sink : public Sink {
 public:
    explicit Otf2Sink(const fs::path& path) : path_(without_slash(path)) {}

    void expect(const Expected& expected) override { traffic_ = &expected.traffic; }
    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    void end(const Outcome& outcome) override;
    bool needs_facts() const override { return true; }

 private:
    size_t all_ranks() const { return static_cast<size_t>(ranks_->size()); }
    size_t owner_of(uint32_t row) const { return row % all_ranks(); }
    bool is_mine(uint32_t row) const { return owner_of(row) == static_cast<size_t>(ranks_->rank()); }
    Otf2Location& location(uint32_t row) { return *locations_[row / all_ranks()]; }
    uint32_t process_of(uint32_t row) const { return schema_->threads[row].process; }

    void find_types(const Plan& plan);
    uint32_t number_of_counter(uint32_t place) const;
    void make_locations();
    template <class Call, class Row>
    void expect_calls(const std::vector<Row>& mine);
    std::optional<Otf2ObjectCall> call_of(const ObjectRow& row) const;
    std::optional<Otf2CollectiveCall> call_of(const CollectiveRow& row) const;
    std::optional<Otf2Message> message_of(const MessageRecord& message, uint32_t row, uint32_t peer) const;
    void expect_receive(const MessageRecord& message);
    void send(const MessageRecord& message);
    std::vector<Otf2Region> all_regions() const;
    void write_locations(const std::vector<Otf2Region>& regions);
    void write_whole(const Outcome& outcome, std::vector<Otf2Region> regions,
                     const std::vector<std::pair<uint64_t, uint64_t>>& counts, uint64_t end);
    fs::path part_of(int rank) const { return beside_ / fmt::format("rank-{}", rank); }

    fs::path path_;
    const TrafficRows* traffic_ = nullptr;
    const Ranks* ranks_ = nullptr;
    const Schema* schema_ = nullptr;
    ShownTypes types_;
    std::vector<uint32_t> counters_;  // places, too, ascending
    Otf2MpiType mpi_;
    EventType mpi_functions_;                 // with the labels of all functions
    std::optional<Otf2Directory> directory_;  // on rank 0
    Fd opened_;
    fs::path beside_;  // its name as long as it is open
    std::optional<Otf2Archive> archive_;
    std::optional<Otf2Communicators> communicators_;
    std::optional<Otf2Objects> objects_;
    std::vector<std::unique_ptr<Otf2Location>> locations_;  // of this rank, by row / ranks
    std::vector<Record> records_;                           // many ranks only: those of this rank's locations
    std::vector<MessageRecord> messages_;
};

// Readers want the numbers of metrics to be 0, 1, 2, ...
uint32_t Otf2Sink::number_of_counter(uint32_t place) const {
    return static_cast<uint32_t>(std::ranges::lower_bound(counters_, place) - counters_.begin());
}

// Regions are what a thread is in: calls of MPI, and what stands on stacks. Counters are metrics.
void Otf2Sink::find_types(const Plan& plan) {
    const auto& types = plan.schema.thread.types;
    for (const ChannelPlan& channel : plan.channels) {
        if (channel.kind != ChannelKind::stack && channel.prv_type != prv_type::mpi_function) continue;
        const auto type = std::ranges::find(types, channel.prv_type, &EventType::type);
        if (type != types.end()) types_.add(channel.prv_type, static_cast<uint32_t>(type - types.begin()));
    }
    for (uint32_t place = 0; place < types.size(); ++place) {
        if (!is_counter(types[place].type)) continue;
        types_.add(types[place].type, place);
        counters_.push_back(place);
    }
    mpi_.type = types_.place_of(prv_type::mpi_function);
    if (mpi_.type == ShownTypes::none) return;
    mpi_functions_ = with_all_labels(plan).thread.types[mpi_.type];
    for (const auto& [value, label] : mpi_functions_.labels.all())
        if (otf2_posts_receive(label)) mpi_.posting_receives.push_back(value);
    std::ranges::sort(mpi_.posting_receives);
}

void Otf2Sink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    schema_ = &plan.schema;
    find_types(plan);
    ranks.agree([&] {
        if (ranks.is_root()) directory_.emplace(path_);
    });
    const fs::path beside = ranks.broadcast(directory_ ? directory_->path().string() : std::string());
    const int64_t number =
        ranks.allreduce(Op::max, directory_ ? number_of(open_directory(directory_->open_path())) : 0);
    ranks.agree([&] {
        if (fs::is_directory(beside)) opened_ = open_directory(beside);
        if (!opened_ || number_of(opened_) != number)
            throw Error("not all ranks see the directory of the archive", beside);
        beside_ = name_of_open(opened_, beside);
        archive_.emplace(ranks.is_root() ? beside_ : part_of(ranks.rank()));
    });
    communicators_.emplace(ranks, plan.schema, *traffic_);
    objects_.emplace(ranks, *communicators_, traffic_->object_facts);
    ranks.agree([&] { make_locations(); });
    expect_calls<Otf2CollectiveCall>(traffic_->collectives);
    expect_calls<Otf2ObjectCall>(traffic_->objects);
}

void Otf2Sink::make_locations() {
    for (uint32_t row = 0; row < schema_->threads.size(); ++row)
        if (is_mine(row)) locations_.push_back(std::make_unique<Otf2Location>(*archive_, row, mpi_));
}

// Gives each location its calls, in the order of time.
template <class Call, class Row>
void Otf2Sink::expect_calls(const std::vector<Row>& mine) {
    PerRank<std::vector<Row>> to(all_ranks());
    for (const Row& row : mine) to[owner_of(static_cast<uint32_t>(row.thread))].push_back(row);
    std::vector<Row> rows = ranks_->alltoallv_joined(std::move(to));
    std::ranges::sort(rows, {}, &Row::key);
    std::map<uint32_t, std::vector<Call>> calls;
    for (const Row& row : rows)
        if (const auto call = call_of(row)) calls[static_cast<uint32_t>(row.thread)].push_back(*call);
    for (auto& [row, of_row] : calls) location(row).expect(std::move(of_row));
}

// A target that is no rank is MPI_PROC_NULL: such an operation does nothing. Ranks in a communicator whose
// members are unknown say nothing.
std::optional<Otf2ObjectCall> Otf2Sink::call_of(const ObjectRow& row) const {
    if (mpi_.type == ShownTypes::none) return {};
    const auto use = otf2_object_use(label_of(mpi_functions_, row.function));
    if (!use) return {};
    const bool has_target = use->what == Otf2ObjectUse::What::put || use->what == Otf2ObjectUse::What::get ||
                            use->what == Otf2ObjectUse::What::update;
    const uint32_t number = objects_->number_of(row.object);
    if (has_target && (row.target < 0 || !objects_->knows_ranks(number))) return {};
    Otf2ObjectCall call{
        row.time,  row.end,    row.complete,
        *use,      number,     row.target < 0 ? Otf2ObjectCall::no_target : static_cast<uint32_t>(row.target),
        row.bytes, row.result, row.has_request != 0};
    if (row.complete == ObjectRow::never) call.complete = INT64_MAX;
    return call;
}

std::optional<Otf2CollectiveCall> Otf2Sink::call_of(const CollectiveRow& row) const {
    if (mpi_.type == ShownTypes::none) return {};
    const auto what = otf2_collective(label_of(mpi_functions_, row.function));
    if (!what) return {};
    const bool blocks = what->blocking == Otf2Collective::Blocking::yes;
    const uint32_t process = process_of(static_cast<uint32_t>(row.thread));
    Otf2CollectiveCall call{row.time, blocks ? row.end : row.wait_end, *what, 0, 0, row.sent, row.received};
    if (!blocks && row.wait_end == CollectiveRow::never) call.end = INT64_MAX;
    call.communicator = communicators_->number_of(row.communicator, process, process);
    call.root = row.root >= 0 ? static_cast<uint32_t>(row.root) : uint32_t{OTF2_COLLECTIVE_ROOT_NONE};
    return call;
}

void Otf2Sink::share(const Slice& slice) {
    if (ranks_->is_alone()) return;
    PerRank<std::vector<Record>> records(all_ranks());
    PerRank<std::vector<MessageRecord>> messages(all_ranks());
    for (const Record& record : slice.records)
        if (types_.shows(record)) records[owner_of(record.thread_row)].push_back(record);
    for (const MessageRecord& message : slice.messages) {
        const size_t sender = owner_of(message.sender_row), receiver = owner_of(message.receiver_row);
        messages[sender].push_back(message);
        if (receiver != sender) messages[receiver].push_back(message);
    }
    records_ = ranks_->alltoallv_joined(std::move(records));
    messages_ = ranks_->alltoallv_joined(std::move(messages));
}

void Otf2Sink::write(const Slice& slice) {
    const std::span<const Record> records = ranks_->is_alone() ? slice.records : records_;
    std::span<const MessageRecord> messages = ranks_->is_alone() ? slice.messages : messages_;
    for (const MessageRecord& message : messages)
        if (is_mine(message.receiver_row)) expect_receive(message);
    const auto send_until = [&](Moment until) {
        take_messages_before(until, messages, [&](const MessageRecord& message) {
            if (is_mine(message.sender_row)) send(message);
        });
    };
    for (const Record& record : records) {
        if (!types_.shows(record)) continue;
        send_until(record.moment());
        Otf2Location& of_row = location(record.thread_row);
        const uint32_t type = types_.place_of(record.type);
        if (is_counter(record.type))
            of_row.count(record.time, number_of_counter(type), record.value);
        else
            of_row.show(record.time, {type, 0, record.value});
    }
    send_until(end_of_trace);
}

// The message in the terms of OTF2; missing if a rank is unknown.
std::optional<Otf2Message> Otf2Sink::message_of(const MessageRecord& message, uint32_t row,
                                                uint32_t peer) const {
    const uint32_t number =
        communicators_->number_of(message.communicator, process_of(row), process_of(peer));
    const uint32_t rank = communicators_->rank_in(number, process_of(peer));
    if (rank == Otf2Communicators::unknown) return {};
    return Otf2Message{rank, number, static_cast<uint32_t>(message.tag), message.bytes};
}

// Its place depends on times alone, not on the window in which the message is known.
void Otf2Sink::expect_receive(const MessageRecord& message) {
    if (const auto known = message_of(message, message.receiver_row, message.sender_row))
        location(message.receiver_row)
            .expect(message.receive_begin, std::max(message.receive_end, message.time), *known);
}

void Otf2Sink::send(const MessageRecord& message) {
    const auto known = message_of(message, message.sender_row, message.receiver_row);
    if (!known) return;
    Otf2Location& sender = location(message.sender_row);
    if (message.send_complete == MessageRecord::no_request)
        sender.send(message.time, *known);
    else
        sender.send_by_request(message.time, message.send_complete, *known);
}

// The regions of all ranks, alike on all.
std::vector<Otf2Region> Otf2Sink::all_regions() const {
    std::set<Otf2Region> mine;
    for (const auto& location : locations_)
        mine.insert(location->regions().begin(), location->regions().end());
    std::set<Otf2Region> all;
    for (const auto& of_rank : ranks_->allgather(std::vector<Otf2Region>(mine.begin(), mine.end())))
        all.insert(of_rank.begin(), of_rank.end());
    return {all.begin(), all.end()};
}

void Otf2Sink::write_locations(const std::vector<Otf2Region>& regions) {
    std::vector<Otf2Archive::OfLocation> mine;
    for (uint32_t row = 0; row < schema_->threads.size(); ++row) {
        if (!is_mine(row)) continue;
        Otf2Archive::OfLocation& of_row = mine.emplace_back();
        of_row.location = row;
        for (const Otf2Region& region : location(row).regions())
            of_row.regions.push_back(
                static_cast<uint32_t>(std::ranges::lower_bound(regions, region) - regions.begin()));
    }
    archive_->end_events(mine);
    if (!ranks_->is_root()) archive_->close();
}

void Otf2Sink::end(const Outcome& outcome) {
    ranks_->agree([&] {
        for (const auto& location : locations_) location->finish(outcome.duration);
    });
    const std::vector<Otf2Region> regions = all_regions();
    std::vector<std::pair<uint64_t, uint64_t>> counts;
    uint64_t last = static_cast<uint64_t>(outcome.duration);
    for (uint32_t row = 0; row < schema_->threads.size(); ++row) {
        if (!is_mine(row)) continue;
        counts.emplace_back(row, location(row).events());
        last = std::max(last, location(row).last_time());
    }
    ranks_->agree([&] { write_locations(regions); });
    std::vector<uint64_t> rows, events;
    for (auto [row, count] : counts) rows.push_back(row), events.push_back(count);
    rows = ranks_->gather_joined(rows);
    events = ranks_->gather_joined(events);
    last = ranks_->allreduce(Op::max, last);
    std::vector<std::pair<uint64_t, uint64_t>> all_counts;
    for (size_t i = 0; i < rows.size(); ++i) all_counts.emplace_back(rows[i], events[i]);
    ranks_->agree([&] {
        if (ranks_->is_root()) write_whole(outcome, regions, all_counts, last);
    });
}

// The files of other ranks are moved to those of rank 0, and the archive gets its name.
void Otf2Sink::write_whole(const Outcome& outcome, std::vector<Otf2Region> regions,
                           const std::vector<std::pair<uint64_t, uint64_t>>& counts, uint64_t end) {
    Otf2Content content{outcome.schema, *communicators_, *objects_, std::move(regions), counters_, {}, end};
    content.events.resize(schema_->threads.size());
    for (auto [row, events] : counts) content.events[row] = events;
    write_definitions(*archive_, content);
    archive_->close();
    for (int rank = 1; rank < ranks_->size(); ++rank) {
        for (const auto& file : fs::directory_iterator(part_of(rank) / otf2_events_name))
            fs::rename(file.path(), beside_ / otf2_events_name / file.path().filename());
        fs::remove_all(part_of(rank));
    }
    set_trace_number(beside_, end);
    directory_->move_to(output_path(path_, outcome.ending));
    if (outcome.ending != Ending::partial) remove_otf2_archive(output_path(path_, Ending::partial));
}

}  // namespace

std::unique_ptr<Sink> make_otf2_sink(const std::filesystem::path& path) {
    return std::make_unique<Otf2Sink>(path);
}

}  // namespace ovni
