#include "sink/columns/columns_sink.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "base/in_order.hpp"

namespace ovni {

namespace {

constexpr size_t no_column = SIZE_MAX;

std::set<uint16_t> types_in_plan(const Plan& plan) {
    std::set<uint16_t> types{prv_type::pid, prv_type::tid, prv_type::running_threads, prv_type::thread_state,
                             prv_type::cpu};
    for (const ChannelPlan& channel : plan.channels) types.insert(channel.prv_type);
    for (const EventType& type : plan.schema.thread.types) types.insert(static_cast<uint16_t>(type.type));
    for (size_t i = 0; i < plan.instants.size(); ++i)
        types.insert(static_cast<uint16_t>(prv_type::first_instant + i));
    return types;
}

std::vector<MessageRow> message_rows(std::span<const MessageRecord> messages) {
    std::vector<MessageRow> rows;
    std::ranges::transform(messages, std::back_inserter(rows), message_row);
    return rows;
}

constexpr uint64_t all_messages = UINT64_MAX;

}  // namespace

void ColumnsSink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    owners_.ranks = static_cast<size_t>(ranks.size());
    file_ = ranks.agree([&] { return ranks.is_root() ? ColumnsFile::make(path_, plan.schema) : nullptr; });
    const std::set<uint16_t> types = types_in_plan(plan);
    column_of_type_.resize(size_t{*types.rbegin()} + 1, no_column);
    for (uint16_t type : types) {
        column_of_type_[type] = columns_.size();
        columns_.emplace_back().name = {ColumnKind::channel, type};
    }
    first_breakdown_ = columns_.size();
    for (size_t b = 0; b < plan.schema.breakdowns.size(); ++b)
        columns_.emplace_back().name = {ColumnKind::breakdown, static_cast<uint16_t>(b)};
    rows_.resize(columns_.size());
    ready_.resize(columns_.size());
    tails_.resize(columns_.size());
}

template <class Put>
void ColumnsSink::visit_rows(const Slice& slice, Put put) const {
    for (const Record& record : slice.records)
        if (is_shown(record)) put(column_of_type_[record.type], column_row(record));
    for (size_t b = 0; b < slice.breakdowns.size(); ++b)
        for (const Record& line : slice.breakdowns[b]) put(first_breakdown_ + b, breakdown_row(line));
}

void ColumnsSink::share(const Slice& slice) {
    if (ranks_->is_alone()) return;
    gather_filtered();
    hand_out(slice);
    // Chunks are worth a gathering when there is one of each rank.
    std::vector<uint64_t> ends = whole_chunks();
    uint64_t count = 0;
    for (size_t c = 0; c < columns_.size(); ++c) count += ends[c] - columns_[c].filtered;
    const uint64_t whole_messages = message_rows_ / rows_in_chunk;
    count += whole_messages - ready_messages_;
    if (count < owners_.ranks) return;
    ready_ = std::move(ends);
    ready_messages_ = whole_messages;
}

void ColumnsSink::write(const Slice& slice) {
    if (ranks_->is_alone()) {
        visit_rows(slice, [&](size_t column, const ColumnRow& row) { append(column, row); });
        count_rows();
        messages_.add(message_rows(slice.messages));
        return write_until(whole_chunks(), messages_written_ + messages_.whole());
    }
    if (file_ && (!gathered_.empty() || messages_written_ < gathered_messages_))
        write_gathered(gathered_messages_);
    filter_until(ready_);
}

// For a single rank: the next row of a column.
void ColumnsSink::append(size_t column, const ColumnRow& row) {
    Tail& tail = tails_[column];
    if (tail.next == tail.end) [[unlikely]]
        make_room(column);
    *tail.next++ = row;
}

// The chunk grows up to its size, so that columns of few rows need little memory.
void ColumnsSink::make_room(size_t c) {
    constexpr size_t first_rows = 256, growth = 4;
    Column& column = columns_[c];
    size_t used = 0;
    if (column.mine.empty() || column.mine.back().size() == rows_in_chunk)
        column.mine.push_back(take_spare(first_rows));
    else
        used = column.mine.back().size();
    Rows& rows = column.mine.back();
    if (used > 0) rows.resize(std::min(used * growth, rows_in_chunk));
    tails_[c] = {rows.data() + used, rows.data() + rows.size()};
}

void ColumnsSink::count_rows() {
    for (size_t c = 0; c < columns_.size(); ++c) {
        Column& column = columns_[c];
        if (column.mine.empty()) continue;
        auto in_last = static_cast<uint64_t>(tails_[c].next - column.mine.back().data());
        column.total = (column.filtered + column.mine.size() - 1) * rows_in_chunk + in_last;
    }
}

// A chunk that was used before, or a new one.
ColumnsSink::Rows ColumnsSink::take_spare(size_t rows_if_new) {
    if (spare_.empty()) return Rows(rows_if_new);
    Rows rows = std::move(spare_.back());
    spare_.pop_back();
    return rows;
}

// Every rank knows from the counts what comes from which rank, and where it belongs.
void ColumnsSink::hand_out(const Slice& slice) {
    for (Rows& rows : rows_) rows.clear();
    visit_rows(slice, [&](size_t column, const ColumnRow& row) { rows_[column].push_back(row); });
    std::vector<uint64_t> counts;
    for (const Rows& rows : rows_) counts.push_back(rows.size());
    counts.push_back(slice.messages.size());
    PerRank<std::vector<uint64_t>> of_rank = ranks_->allgather_equal(counts);
    PerRank<Rows> to(owners_.ranks);
    for (size_t c = 0; c < columns_.size(); ++c) {
        const ColumnRow* next = rows_[c].data();
        uint64_t begin = columns_[c].total;
        for (size_t r = 0; r < me(); ++r) begin += of_rank[r][c];
        owners_.split(c, begin, rows_[c].size(), [&](size_t owner, uint64_t, size_t, size_t count) {
            to[owner].insert(to[owner].end(), next, next + count);
            next += count;
        });
    }
    PerRank<std::span<const ColumnRow>> parts(to.begin(), to.end());
    PerRank<std::span<const ColumnRow>> received = ranks_->alltoallv(parts, received_);
    for (size_t c = 0; c < columns_.size(); ++c) {
        uint64_t from = columns_[c].total;
        for (size_t r = 0; r < owners_.ranks; ++r) {
            owners_.split(c, from, of_rank[r][c],
                          [&](size_t owner, uint64_t chunk, size_t place, size_t count) {
                              if (owner != me()) return;
                              std::ranges::copy(received[r].first(count), rows_of(c, chunk) + place);
                              received[r] = received[r].subspan(count);
                          });
            from += of_rank[r][c];
        }
        columns_[c].total = from;
    }
    uint64_t messages = 0;
    for (const auto& of_one : of_rank) messages += of_one.back();
    message_rows_ += messages;
    if (messages > 0) gather_messages(slice);
}

void ColumnsSink::gather_messages(const Slice& slice) {
    messages_.add(ranks_->gather_joined(message_rows(slice.messages)));
}

// The rows of all ranks, in the order of time. Collective.
template <class Row>
void ColumnsSink::write_all(ColumnKind kind, const std::vector<Row>& mine) {
    TrafficChunks<Row> chunks(kind);
    visit_in_order(
        *ranks_, std::span<const Row>(mine), [](const Row& row) { return row.time; },
        [](std::vector<Row>& rows) { std::ranges::sort(rows, {}, &Row::key); },
        [&](const std::vector<Row>& rows) {
            ranks_->agree([&] {
                if (!file_) return;
                chunks.add(rows);
                chunks.write(*file_, filter_, rows_in_chunk);
            });
        });
    ranks_->agree([&] {
        if (file_) chunks.write(*file_, filter_, 1);
    });
}

// Room for a chunk of this rank.
ColumnRow* ColumnsSink::rows_of(size_t c, uint64_t chunk) {
    Column& column = columns_[c];
    auto index = static_cast<size_t>((chunk - owners_.first_of(me(), c, column.filtered)) / owners_.ranks);
    while (column.mine.size() <= index) {
        column.mine.push_back(take_spare(rows_in_chunk));
        column.mine.back().resize(rows_in_chunk);
    }
    return column.mine[index].data();
}

size_t ColumnsSink::rows_in(size_t c, uint64_t chunk) const {
    return static_cast<size_t>(std::min<uint64_t>(rows_in_chunk, columns_[c].total - chunk * rows_in_chunk));
}

std::vector<uint64_t> ColumnsSink::whole_chunks() const {
    std::vector<uint64_t> ends;
    for (const Column& column : columns_) ends.push_back(column.total / rows_in_chunk);
    return ends;
}

std::vector<uint64_t> ColumnsSink::all_chunks() const {
    std::vector<uint64_t> ends;
    for (const Column& column : columns_) ends.push_back((column.total + rows_in_chunk - 1) / rows_in_chunk);
    return ends;
}

// The due chunks of this rank.
std::vector<ColumnsSink::DueChunk> ColumnsSink::due_chunks(const std::vector<uint64_t>& ends) const {
    std::vector<DueChunk> due;
    for (size_t c = 0; c < columns_.size(); ++c) {
        auto rows = columns_[c].mine.begin();
        for (uint64_t chunk = owners_.first_of(me(), c, columns_[c].filtered); chunk < ends[c];
             chunk += owners_.ranks, ++rows) {
            const size_t count = rows_in(c, chunk);
            due.push_back({count < rows_in_chunk ? INT64_MAX : (*rows)[count - 1].time, c, chunk, count});
        }
    }
    sort(due);
    return due;
}

// Messages of rank 0, up to that many chunks.
std::vector<ColumnsSink::DueChunk> ColumnsSink::due_messages(uint64_t until) const {
    std::vector<DueChunk> due;
    for (uint64_t chunk = 0; chunk < messages_.whole() && messages_written_ + chunk < until; ++chunk)
        due.push_back({messages_.last_time(chunk), columns_.size(), messages_written_ + chunk});
    if (until == all_messages && messages_.has_part())
        due.push_back({INT64_MAX, columns_.size(), all_messages});
    return due;
}

void ColumnsSink::sort(std::vector<DueChunk>& due) {
    std::ranges::stable_sort(due, {}, &DueChunk::place);
}

// The first chunk of a column that this rank has. A chunk that is not full is filled up; if it is the only
// one, it has a size of its own.
std::span<const uint8_t> ColumnsSink::filter_first(const DueChunk& due) {
    Column& column = columns_[due.column];
    Rows rows = std::move(column.mine.front());
    column.mine.pop_front();
    const bool is_only = due.count == column.total;
    rows.resize(is_only ? due.count : rows_in_chunk);
    std::fill(rows.begin() + static_cast<std::ptrdiff_t>(due.count), rows.end(), ColumnRow{});
    const std::span<const uint8_t> bytes = filter_.apply(rows);
    spare_.push_back(std::move(rows));
    return bytes;
}

// For a single rank: writes what has become complete.
void ColumnsSink::write_until(const std::vector<uint64_t>& ends, uint64_t messages) {
    std::vector<DueChunk> due = due_chunks(ends);
    std::ranges::copy(due_messages(messages), std::back_inserter(due));
    sort(due);
    for (const DueChunk& chunk : due)
        if (chunk.column == columns_.size())
            write_messages();
        else
            file_->append(columns_[chunk.column].name, chunk.count, filter_first(chunk));
    note_filtered(ends);
}

void ColumnsSink::write_messages() {
    messages_.write_first(*file_, filter_);
    ++messages_written_;
}

void ColumnsSink::note_filtered(const std::vector<uint64_t>& ends) {
    for (size_t c = 0; c < columns_.size(); ++c)
        columns_[c].filtered = std::max(columns_[c].filtered, ends[c]);
}

// Filters the chunks of this rank up to `ends`, each behind what is known of it.
void ColumnsSink::filter_until(const std::vector<uint64_t>& ends) {
    for (DueChunk& chunk : due_chunks(ends)) {
        const std::span<const uint8_t> bytes = filter_first(chunk);
        chunk.bytes = bytes.size();
        const auto* about = reinterpret_cast<const uint8_t*>(&chunk);
        filtered_.insert(filtered_.end(), about, about + sizeof chunk);
        filtered_.insert(filtered_.end(), bytes.begin(), bytes.end());
    }
    note_filtered(ends);
    filtered_messages_ = ready_messages_;
}

void ColumnsSink::gather_filtered() {
    gathered_messages_ = filtered_messages_;
    if (std::ranges::none_of(columns_, [](const Column& c) { return c.gathered < c.filtered; })) return;
    gathered_ = ranks_->gather(filtered_);
    filtered_.clear();
    for (Column& column : columns_) column.gathered = column.filtered;
}

// On rank 0, with that many chunks of messages.
void ColumnsSink::write_gathered(uint64_t messages) {
    if (!file_) return;
    std::vector<DueChunk> due = due_messages(messages);
    for (std::span<const uint8_t> left : gathered_)
        while (!left.empty()) {
            DueChunk& chunk = due.emplace_back();
            std::memcpy(&chunk, left.data(), sizeof chunk);
            chunk.filtered = left.data() + sizeof chunk;
            left = left.subspan(sizeof chunk + chunk.bytes);
        }
    sort(due);
    for (const DueChunk& chunk : due)
        if (chunk.column == columns_.size())
            write_messages();
        else
            file_->append(columns_[chunk.column].name, chunk.count, {chunk.filtered, chunk.bytes});
    gathered_.clear();
}

void ColumnsSink::end(const Outcome& outcome) {
    if (ranks_->is_alone()) {
        write_until(all_chunks(), all_messages);
    } else {
        gather_filtered();
        ranks_->agree([&] { write_gathered(gathered_messages_); });
        ranks_->agree([&] { filter_until(all_chunks()); });
        gather_filtered();
        ranks_->agree([&] { write_gathered(all_messages); });
    }
    write_all(ColumnKind::waits, outcome.traffic.waits);
    write_all(ColumnKind::collectives, outcome.traffic.collectives);
    ranks_->agree([&] {
        if (file_) file_->end(outcome.schema, outcome.facts, outcome.duration, outcome.ending);
    });
}

}  // namespace ovni
