#include "mpi/emu/parallel_columns.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace ovni {

namespace {

constexpr size_t no_column = SIZE_MAX;

std::set<uint16_t> types_of(const Plan& plan) {
    std::set<uint16_t> types{prv_type::pid, prv_type::tid, prv_type::running_threads, prv_type::thread_state,
                             prv_type::cpu};
    for (const ChannelPlan& channel : plan.channels) types.insert(channel.prv_type);
    return types;
}

// Filtered chunks one after the other, in the order in which their rank has them, each behind its size.
void put_chunk(std::vector<uint8_t>& message, std::span<const uint8_t> chunk) {
    uint64_t size = chunk.size();
    const auto* bytes = reinterpret_cast<const uint8_t*>(&size);
    message.insert(message.end(), bytes, bytes + sizeof size);
    message.insert(message.end(), chunk.begin(), chunk.end());
}
std::span<const uint8_t> take_chunk(std::span<const uint8_t>& message) {
    uint64_t size = 0;
    std::memcpy(&size, message.data(), sizeof size);
    std::span<const uint8_t> chunk = message.subspan(sizeof size, size);
    message = message.subspan(sizeof size + size);
    return chunk;
}

}  // namespace

ParallelColumns::ParallelColumns(const Comm& comm, const std::filesystem::path& path, const Plan& plan)
    : comm_(comm), owners_{rows_in_chunk, static_cast<size_t>(comm.size())}, file_(comm.agree([&] {
          return comm.is_root() ? ColumnsFile::make(path, plan.schema) : nullptr;
      })) {
    const std::set<uint16_t> types = types_of(plan);
    column_of_type_.resize(size_t{*types.rbegin()} + 1, no_column);
    for (uint16_t type : types) {
        column_of_type_[type] = columns_.size();
        columns_.push_back({{ColumnName::Kind::channel, type}, 0, 0, {}});
    }
    first_breakdown_ = columns_.size();
    for (size_t b = 0; b < plan.schema.breakdowns.size(); ++b)
        columns_.push_back({{ColumnName::Kind::breakdown, static_cast<uint16_t>(b)}, 0, 0, {}});
    rows_.resize(columns_.size());
}

void ParallelColumns::write(std::span<const Record> records, const std::vector<std::vector<Record>>& lines) {
    for (auto& rows : rows_) rows.clear();
    for (const Record& record : records)
        if (is_shown(record)) rows_[column_of_type_[record.type]].push_back(column_row(record));
    for (size_t b = 0; b < lines.size(); ++b)
        for (const Record& line : lines[b]) rows_[first_breakdown_ + b].push_back(breakdown_row(line));
    hand_out();
    // One of each rank at least.
    std::vector<uint64_t> ends = whole_chunks();
    uint64_t ready = 0;
    for (size_t c = 0; c < columns_.size(); ++c) ready += ends[c] - columns_[c].written;
    if (ready >= owners_.ranks) write_until(ends);
}

std::vector<uint64_t> ParallelColumns::whole_chunks() const {
    std::vector<uint64_t> ends;
    for (const Column& column : columns_) ends.push_back(column.total / rows_in_chunk);
    return ends;
}

// Everybody knows from the counts what comes from whom, and where it belongs.
void ParallelColumns::hand_out() {
    std::vector<uint64_t> counts;
    for (const auto& rows : rows_) counts.push_back(rows.size());
    PerRank<std::vector<uint64_t>> of_rank = comm_.allgather_equal(counts);
    PerRank<std::vector<ColumnRow>> to(owners_.ranks);
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
    PerRank<std::span<const ColumnRow>> received = comm_.alltoallv(parts, received_);
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
}

// Room for a chunk of this rank.
ColumnRow* ParallelColumns::rows_of(size_t c, uint64_t chunk) {
    Column& column = columns_[c];
    uint64_t first = owners_.first_of(me(), c, column.written);
    size_t index = static_cast<size_t>((chunk - first) / owners_.ranks);
    while (column.mine.size() <= index) column.mine.emplace_back(rows_in_chunk);
    return column.mine[index].data();
}

// Column by column, up to those chunks.
void ParallelColumns::write_until(const std::vector<uint64_t>& ends) {
    std::vector<uint8_t> message;
    auto rows_in = [&](size_t c, uint64_t chunk) {
        return static_cast<size_t>(
            std::min<uint64_t>(rows_in_chunk, columns_[c].total - chunk * rows_in_chunk));
    };
    comm_.agree([&] {
        for (size_t c = 0; c < columns_.size(); ++c) {
            Column& column = columns_[c];
            for (uint64_t chunk = owners_.first_of(me(), c, column.written); chunk < ends[c];
                 chunk += owners_.ranks) {
                // The only one has its own size.
                size_t count = chunk == 0 ? rows_in(c, chunk) : rows_in_chunk;
                put_chunk(message, filter_.apply(std::span(column.mine.front()).first(count)));
                column.mine.pop_front();
            }
        }
    });
    PerRank<std::vector<uint8_t>> messages = comm_.gather(message);
    comm_.agree([&] {
        PerRank<std::span<const uint8_t>> left(messages.begin(), messages.end());
        for (size_t c = 0; c < columns_.size(); ++c)
            for (; columns_[c].written < ends[c]; ++columns_[c].written) {
                uint64_t chunk = columns_[c].written;
                if (!file_) continue;
                file_->append(columns_[c].name, rows_in(c, chunk), take_chunk(left[owners_.owner(c, chunk)]));
            }
    });
}

void ParallelColumns::finish(const Schema& schema, const Facts& facts, int64_t duration, Ending ending) {
    std::vector<uint64_t> ends;
    for (const Column& column : columns_) ends.push_back((column.total + rows_in_chunk - 1) / rows_in_chunk);
    write_until(ends);
    comm_.agree([&] {
        if (file_) file_->end(schema, facts, duration, ending);
    });
}

}  // namespace ovni
