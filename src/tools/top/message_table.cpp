#include "tools/top/message_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/printable.hpp"
#include "messages/match/message_lines.hpp"
#include "tools/top/rank_cells.hpp"

namespace ovni {

namespace {

// More columns do not fit on a screen.
constexpr size_t most_columns = 16;

// In text these are sentences.
DataTable table_of_sums(const MessageSummary& messages) {
    DataTable table{"sums",
                    {data_column("messages"), data_column("bytes"), data_column("unknown_communicator"),
                     data_column("backward")}};
    table.rows = {{messages.matched, messages.bytes, messages.unknown_communicator, messages.backward}};
    table.form = DataTable::Form::left_out;
    table.before = message_lines(messages);
    return table;
}

DataTable table_of_unmatched(const MessageSummary& messages) {
    DataTable table{"unmatched", {data_column("end"), data_column("cause"), data_column("ends")}};
    table.form = DataTable::Form::left_out;
    for (const auto& [end, counts] : {std::pair("send", messages.sends), {"receive", messages.receives}})
        for (size_t cause = 0; cause < counts.size(); ++cause)
            if (counts[cause] > 0) table.rows.push_back({end, unmatched_names[cause], counts[cause]});
    return table;
}

DataTable table_of_sizes(const MessageSummary& messages) {
    DataTable table{"sizes",
                    {number_column("messages", "messages", 12), number_column("", "bytes each", 12),
                     data_column("min_bytes"), data_column("max_bytes")}};
    table.before = {""};
    for (size_t bits = 0; bits < messages.sizes.size(); ++bits) {
        if (messages.sizes[bits] == 0) continue;
        const uint64_t least = bits == 0 ? 0 : uint64_t{1} << (bits - 1);
        const uint64_t most = bits == 0 ? 0 : least + (least - 1);
        const std::string range = bits <= 1 ? std::to_string(least) : fmt::format("{} to {}", least, most);
        table.rows.push_back({messages.sizes[bits], range, least, most});
    }
    return table;
}

DataTable table_of_pairs(const MessageSummary& messages, const System& system) {
    std::vector<Traffic> pairs = messages.traffic;
    std::ranges::stable_sort(pairs, std::greater(), &Traffic::bytes);
    const RankNames names(system);
    DataTable table{"pairs",
                    {number_column("sender", "from", 8), number_column("receiver", "to", 8),
                     number_column("messages", "messages", 12), number_column("bytes", "bytes", 16)}};
    table.before = {""};
    for (const Traffic& pair : pairs)
        table.rows.push_back(
            {rank_cell(names, pair.sender), rank_cell(names, pair.receiver), pair.messages, pair.bytes});
    return table;
}

using BytesByPlace = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

// `places`: their names.
DataTable matrix(const std::string& by, const std::vector<Cell>& places, const BytesByPlace& bytes) {
    size_t width = sizeof "from\\to";
    for (const Cell& place : places) width = std::max(width, text_of(place).size() + 1);
    DataTable table{"bytes_by_" + by, {number_column("sender", "from\\to", width)}};
    table.before = {"bytes, by " + by};
    for (const Cell& receiver : places) {
        DataColumn column = number_column(text_of(receiver), text_of(receiver), width);
        column.text.form = as_short_bytes;
        column.text.empty = "-";
        table.columns.push_back(std::move(column));
    }
    for (uint32_t sender = 0; sender < places.size(); ++sender) {
        DataTable::Row row{places[sender]};
        for (uint32_t receiver = 0; receiver < places.size(); ++receiver) {
            const auto found = bytes.find({sender, receiver});
            row.push_back(found == bytes.end() ? Cell() : found->second);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

std::vector<DataTable> message_tables(const MessageSummary& messages, const System& system) {
    std::vector<DataTable> all{table_of_sums(messages), table_of_unmatched(messages),
                               table_of_sizes(messages), table_of_pairs(messages, system)};
    for (DataTable& table : all) {
        const bool is_shown = table.name == "sums" ? !messages.is_empty() : messages.matched > 0;
        if (!is_shown) hide_text(table);
    }
    return all;
}

std::vector<DataTable> matrix_tables(const MessageSummary& messages, const System& system) {
    const bool by_rank = system.processes().size() <= most_columns;
    const RankNames ranks(system);
    std::vector<Cell> places;
    if (by_rank)
        for (uint32_t p = 0; p < system.processes().size(); ++p) places.push_back(rank_cell(ranks, p));
    else
        for (const LoomInfo& loom : system.looms()) places.emplace_back(one_line(loom.name));
    const auto place = [&](uint32_t p) { return by_rank ? p : system.processes()[p].loom; };
    BytesByPlace bytes;
    for (const Traffic& pair : messages.traffic)
        bytes[{place(pair.sender), place(pair.receiver)}] += pair.bytes;
    std::vector<DataTable> all{matrix(by_rank ? "rank" : "loom", places, bytes)};
    if (messages.matched == 0) hide_text(all.front());
    return all;
}

}  // namespace ovni
