#include "sink/perfetto/perfetto_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "messages/match/find_messages.hpp"
#include "messages/scan/object_calls.hpp"
#include "sink/all_labels.hpp"
#include "sink/object_names.hpp"
#include "sink/output_names.hpp"
#include "sink/perfetto/perfetto_labels.hpp"
#include "sink/perfetto/perfetto_packets.hpp"
#include "sink/perfetto/perfetto_tracks.hpp"
#include "sink/perfetto/shown_waits.hpp"
#include "sink/placed_file.hpp"
#include "sink/row_states.hpp"
#include "sink/slice_messages.hpp"

namespace ovni {

namespace {

using Key = PerfettoArguments::Key;

// Waits are shown with their causes; the number of a thread is in its name.
constexpr std::array<uint16_t, 2> left_out_of_perfetto = {prv_type::tid, prv_type::wait_state};

constexpr uint64_t unknown_bytes = UINT64_MAX;

// The names that no label has.
enum Name : uint64_t {
    message_name = 1,
    received_name,
    collective_name,
    window_name,
    file_name,
    lonely_send_name,
    lonely_receive_name
};
std::vector<std::string> own_names() {
    return {"message", "received", "collective", "window", "file", "unmatched send", "unmatched receive"};
}

// Every packet of a slice is written as soon as it is made. If short slices are left out, both packets of a
// slice are written where it ends, and messages are instants.
class PerfettoSink : public Sink {
 public:
    explicit PerfettoSink(std::filesystem::path path) : path_(std::move(path)) {}

    void expect(const Expected& expected) override { min_duration_ = expected.min_duration; }
    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    void end(const Outcome& outcome) override;
    bool needs_facts() const override { return true; }
    uint64_t bytes_written() const override { return file_->bytes_written(); }

 private:
    using Messages = std::span<const MessageRecord>;

    void add(const Record& record, Messages& messages);
    void add_message(const MessageRecord& message);
    PerfettoArguments sent(const MessageRecord& message) const;
    PerfettoArguments arguments_of(const MessageRecord& message, uint32_t peer) const;
    void add_receive(const MessageRecord& message);
    void begin_slice(const Record& record, RowStates::Key key, Messages& messages);
    PerfettoPackets::Track track_of(RowStates::Key key) const;
    void change_slice(const Record& record, const RowStates::Change& change, Messages& messages);
    void add_slice(RowStates::Key key, const RowStates::Begin& begin, int64_t end);
    void add_open_slices(const Outcome& outcome, const std::vector<RowStates::Shown>& shown);
    void add_waits(std::vector<WaitRow> waits);
    void add_collectives(std::vector<CollectiveRow> collectives);
    void add_objects(std::vector<ObjectRow> objects, const std::vector<ObjectFacts>& facts);
    void add_unmatched(std::vector<UnmatchedRow> unmatched);
    void report_left_out() const;
    void flush();
    void place();

    std::filesystem::path path_;
    const Ranks* ranks_ = nullptr;
    const Schema* schema_ = nullptr;
    std::optional<PerfettoTracks> tracks_;
    std::optional<PerfettoLabels> labels_;
    RowStates states_;
    uint32_t mpi_type_ = UINT32_MAX;  // a place in the types of the thread file
    std::string header_;
    std::optional<PlacedFile> file_;
    PerfettoPackets packets_;
    int64_t min_duration_ = 0;
    uint64_t left_out_ = 0;  // slices
    MessageNumbers flows_;
};

void PerfettoSink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    schema_ = &plan.schema;
    tracks_.emplace(plan.schema);
    labels_.emplace(plan, own_names());
    states_ = RowStates(ranks, plan.schema.thread, left_out_of_perfetto,
                        min_duration_ > 0 ? RowStates::Begins::kept : RowStates::Begins::forgotten);
    const auto& types = plan.schema.thread.types;
    const auto mpi = std::ranges::find(types, prv_type::mpi_function, &EventType::type);
    if (mpi != types.end()) mpi_type_ = static_cast<uint32_t>(mpi - types.begin());
    packets_.names(labels_->first(), PerfettoPackets::Turn::first);
    tracks_->describe_all(packets_);
    header_ = packets_.bytes();
    packets_.clear();
    file_.emplace(ranks, path_, header_);
}

void PerfettoSink::share(const Slice& slice) {
    if (ranks_->is_alone()) return;
    place();
    states_.share(slice.records);
    flows_.share(*ranks_, slice.messages.size());
}

void PerfettoSink::place() {
    std::array files{&*file_};
    place_kept(*ranks_, files);
}

void PerfettoSink::flush() {
    file_->append(packets_.bytes());
    packets_.clear();
}

void PerfettoSink::write(const Slice& slice) {
    if (!ranks_->is_alone()) file_->write_placed();
    Messages messages = slice.messages;
    const auto add_messages = [&](Moment until) {
        take_messages_before(until, messages, [&](const MessageRecord& message) { add_message(message); });
    };
    for (const Record& record : slice.records) {
        add_messages(record.moment());
        add(record, messages);
        flush();
    }
    add_messages(end_of_trace);
    flush();
}

// Calls of MPI stand on the track of the thread itself.
PerfettoPackets::Track PerfettoSink::track_of(RowStates::Key key) const {
    return key.type == mpi_type_ ? tracks_->of_thread(key.row) : tracks_->of_type(key.row, key.type);
}

// `messages`: those that are not written yet. A call takes those that it sends.
void PerfettoSink::add(const Record& record, Messages& messages) {
    const std::optional<RowStates::Change> change = states_.take(record);
    if (!change) return;
    const auto [row, type] = change->key;
    const bool is_count = is_counter(record.type);
    if (change->is_first && is_count)
        tracks_->describe_counter(packets_, row, type);
    else if (change->is_first && type != mpi_type_)
        tracks_->describe_type(packets_, row, type);
    if (is_count) return packets_.count(record.time, track_of(change->key), record.value);
    change_slice(record, *change, messages);
}

void PerfettoSink::change_slice(const Record& record, const RowStates::Change& change, Messages& messages) {
    if (min_duration_ > 0) {
        if (change.ends) add_slice(change.key, change.before, record.time);
        return;
    }
    if (change.ends) packets_.end(record.time, track_of(change.key));
    if (record.value != 0) begin_slice(record, change.key, messages);
}

void PerfettoSink::add_slice(RowStates::Key key, const RowStates::Begin& begin, int64_t end) {
    if (end - begin.time < min_duration_) {
        ++left_out_;
        return;
    }
    packets_.begin(begin.time, track_of(key), labels_->name_of(key.type, begin.value));
    packets_.end(end, track_of(key));
}

void PerfettoSink::begin_slice(const Record& record, RowStates::Key key, Messages& messages) {
    const auto is_sent_here = [&](size_t m) {
        return m < messages.size() && messages[m].moment() == record.moment() &&
               messages[m].sender_row == record.thread_row;
    };
    const PerfettoName name = labels_->name_of(key.type, record.value);
    const bool sends_one = key.type == mpi_type_ && is_sent_here(0) && !is_sent_here(1);
    if (!sends_one) return packets_.begin(record.time, track_of(key), name);
    packets_.begin(record.time, track_of(key), name, sent(messages.front()),
                   {PerfettoFlow::End::begins, flows_.next()});
    add_receive(messages.front());
    messages = messages.subspan(1);
}

PerfettoArguments PerfettoSink::arguments_of(const MessageRecord& message, uint32_t peer) const {
    PerfettoArguments arguments;
    tracks_->add_peer(arguments, Key::peer, peer);
    arguments.add(Key::tag, int64_t{message.tag});
    if (message.bytes != unknown_bytes) arguments.add(Key::bytes, message.bytes);
    arguments.add(Key::communicator, message.communicator);
    return arguments;
}

PerfettoArguments PerfettoSink::sent(const MessageRecord& message) const {
    return arguments_of(message, message.receiver_row);
}

// Adds one of several messages that a call sends, or a message that is sent outside of the shown calls.
void PerfettoSink::add_message(const MessageRecord& message) {
    packets_.instant(std::max(message.time, int64_t{0}), tracks_->of_thread(message.sender_row),
                     {message_name}, sent(message), {PerfettoFlow::End::begins, flows_.next()});
    add_receive(message);
    flush();
}

void PerfettoSink::add_receive(const MessageRecord& message) {
    PerfettoArguments arguments = arguments_of(message, message.sender_row);
    arguments.add(Key::posted, message.receive_begin);
    packets_.instant(std::max(message.receive_end, int64_t{0}), tracks_->of_thread(message.receiver_row),
                     {received_name}, arguments, {PerfettoFlow::End::ends, flows_.last()});
}

void PerfettoSink::add_open_slices(const Outcome& outcome, const std::vector<RowStates::Shown>& shown) {
    for (const auto& [key, begin] : shown) {
        if (is_counter(schema_->thread.types[key.type].type)) continue;
        if (min_duration_ > 0)
            add_slice(key, begin, outcome.duration);
        else
            packets_.end(outcome.duration, track_of(key));
        flush();
    }
}

// Their names are few: they are texts.
void PerfettoSink::add_waits(std::vector<WaitRow> waits) {
    std::vector<bool> is_described(schema_->threads.size());
    for (const WaitRow& wait : shown_waits(std::move(waits))) {
        if (wait.end - wait.time < min_duration_) {
            ++left_out_;
            continue;
        }
        const auto row = static_cast<uint32_t>(wait.thread);
        if (!is_described[row]) tracks_->describe_waits(packets_, row);
        is_described[row] = true;
        PerfettoArguments arguments;
        arguments.add(Key::waited, wait.waited);
        if (wait.cause != WaitRow::no_thread) {
            tracks_->add_peer(arguments, Key::cause, static_cast<uint32_t>(wait.cause));
            arguments.add(Key::cause_time, wait.cause_time);
        }
        if (wait.bound >= 0) arguments.add(Key::clock_bound, wait.bound);
        std::string name(wait_names[static_cast<size_t>(wait.wait)]);
        packets_.begin(wait.time, tracks_->of_waits(row), {0, std::move(name)}, arguments);
        packets_.end(wait.end, tracks_->of_waits(row));
        flush();
    }
}

void PerfettoSink::add_collectives(std::vector<CollectiveRow> collectives) {
    std::ranges::sort(collectives, {}, &CollectiveRow::key);
    for (const CollectiveRow& part : collectives) {
        PerfettoArguments arguments;
        arguments.add(Key::sent, part.sent);
        arguments.add(Key::received, part.received);
        arguments.add(Key::communicator, part.communicator);
        arguments.add(Key::scope, int64_t{part.scope});
        arguments.add(Key::turn, int64_t{part.turn});
        arguments.add(Key::rank, int64_t{part.rank});
        if (part.root != -1) arguments.add(Key::root, int64_t{part.root});
        if (part.members > 0) arguments.add(Key::members, int64_t{part.members});
        packets_.instant(part.time, tracks_->of_thread(static_cast<uint32_t>(part.thread)), {collective_name},
                         arguments);
        flush();
    }
}

// Calls of one-sided communication have the bytes that they give and take, calls of I/O those that they are
// to transfer and have transferred.
void PerfettoSink::add_objects(std::vector<ObjectRow> objects, const std::vector<ObjectFacts>& facts) {
    std::map<ObjectKey, std::string> names;
    for (const ObjectFacts& known : facts)
        if (std::string& name = names[known.key]; name.empty()) name = known.name;
    std::ranges::sort(objects, {}, &ObjectRow::key);
    for (const ObjectRow& call : objects) {
        const bool is_window = call.object.kind == static_cast<int32_t>(ObjectKind::window);
        std::string name = names[call.object];
        if (name.empty()) name = fmt::format("{}", call.object.turn);
        PerfettoArguments arguments;
        arguments.add(is_window ? Key::window : Key::file, std::move(name));
        arguments.add(Key::communicator, call.object.communicator);
        if (call.target >= 0) arguments.add(Key::target, int64_t{call.target});
        arguments.add(is_window ? Key::sent : Key::bytes, call.bytes);
        arguments.add(is_window ? Key::received : Key::transferred, call.result);
        if (call.complete != ObjectRow::never) arguments.add(Key::complete, call.complete);
        packets_.instant(call.time, tracks_->of_thread(static_cast<uint32_t>(call.thread)),
                         {is_window ? window_name : file_name}, arguments);
        flush();
    }
}

// A send stands where it is posted, a receive where it is complete, if it is.
void PerfettoSink::add_unmatched(std::vector<UnmatchedRow> unmatched) {
    std::ranges::sort(unmatched, {}, &UnmatchedRow::key);
    for (const UnmatchedRow& end : unmatched) {
        PerfettoArguments arguments;
        arguments.add(Key::peer, int64_t{end.peer});
        arguments.add(Key::tag, int64_t{end.tag});
        if (end.bytes != unknown_bytes) arguments.add(Key::bytes, end.bytes);
        arguments.add(Key::communicator, end.communicator);
        arguments.add(Key::cause, std::string(unmatched_names[static_cast<size_t>(end.cause)]));
        if (!end.is_send) arguments.add(Key::posted, end.posted);
        const int64_t time = end.complete == UnmatchedRow::never ? end.posted : end.complete;
        packets_.instant(std::max(time, int64_t{0}), tracks_->of_thread(static_cast<uint32_t>(end.thread)),
                         {end.is_send ? lonely_send_name : lonely_receive_name}, arguments);
        flush();
    }
}

void PerfettoSink::report_left_out() const {
    const uint64_t all = ranks_->allreduce(Op::sum, left_out_);
    if (ranks_->is_root() && min_duration_ > 0)
        log::info("{}: {} slices shorter than {} ns are left out (--min-duration)", path_.string(), all,
                  min_duration_);
}

// Rank 0 writes all that is known at the end only.
void PerfettoSink::end(const Outcome& outcome) {
    if (!ranks_->is_alone()) {
        place();
        ranks_->agree([&] { file_->write_placed(); });
    }
    const std::vector<RowStates::Shown> shown = states_.still_shown();
    std::vector<WaitRow> waits = ranks_->gather_joined(outcome.traffic.waits);
    std::vector<CollectiveRow> collectives = ranks_->gather_joined(outcome.traffic.collectives);
    std::vector<ObjectRow> objects = ranks_->gather_joined(outcome.traffic.objects);
    std::vector<UnmatchedRow> unmatched = ranks_->gather_joined(outcome.traffic.unmatched);
    const std::vector<ObjectFacts> facts = all_object_facts(*ranks_, outcome.traffic.object_facts);
    ranks_->agree([&] {
        add_open_slices(outcome, shown);
        add_waits(std::move(waits));
        add_collectives(std::move(collectives));
        add_objects(std::move(objects), facts);
        add_unmatched(std::move(unmatched));
    });
    const std::vector<uint64_t> late = ranks_->gather_joined(labels_->used_late());
    report_left_out();
    if (!ranks_->is_alone()) {
        place();
        ranks_->agree([&] { file_->write_placed(); });
    }
    if (!late.empty()) {
        packets_.names(PerfettoLabels::late(late, outcome.schema.thread.types), PerfettoPackets::Turn::later);
        header_ += packets_.bytes();
        packets_.clear();
    }
    file_->finish(header_);
    ranks_->agree([&] {
        if (ranks_->is_root()) commit(*file_, path_, outcome.ending);
    });
}

}  // namespace

std::unique_ptr<Sink> make_perfetto_sink(const std::filesystem::path& path) {
    return std::make_unique<PerfettoSink>(path);
}

}  // namespace ovni
