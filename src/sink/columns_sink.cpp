#include "sink/columns_sink.hpp"

namespace ovni {

void ColumnsSink::begin(const Schema& schema) {
    file_ = ColumnsFile::make(path_, schema);
    breakdowns_.resize(schema.breakdowns.size());
}

void ColumnsSink::write(std::span<const Record> records) {
    for (const Record& record : records) {
        if (!is_shown(record)) continue;
        Rows& rows = channels_[record.type];
        rows.pending.push_back(column_row(record));
        if (rows.pending.size() == rows_in_chunk) flush({ColumnName::Kind::channel, record.type}, rows);
    }
}

void ColumnsSink::write_breakdown(size_t which, std::span<const Record> lines) {
    Rows& rows = breakdowns_[which];
    for (const Record& line : lines) {
        rows.pending.push_back(breakdown_row(line));
        if (rows.pending.size() == rows_in_chunk)
            flush({ColumnName::Kind::breakdown, static_cast<uint16_t>(which)}, rows);
    }
}

void ColumnsSink::flush(ColumnName column, Rows& rows) {
    size_t count = rows.pending.size();
    if (count == 0) return;
    if (rows.has_chunks) rows.pending.resize(rows_in_chunk);
    file_->append(column, count, filter_.apply(rows.pending));
    rows.has_chunks = true;
    rows.pending.clear();
}

void ColumnsSink::end(const Schema& schema, int64_t duration, Ending ending) {
    channels_.visit([&](uint16_t type, Rows& rows) { flush({ColumnName::Kind::channel, type}, rows); });
    for (size_t b = 0; b < breakdowns_.size(); ++b)
        flush({ColumnName::Kind::breakdown, static_cast<uint16_t>(b)}, breakdowns_[b]);
    file_->end(schema, facts_, duration, ending);
    file_.reset();
}

}  // namespace ovni
