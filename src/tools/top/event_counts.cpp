// Events by code, the most frequent first.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "tools/code_table.hpp"
#include "tools/line_template.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

// The order of events does not matter here, so every stream is read on its own; a damaged one counts up to
// its damage.
class Counts {
 public:
    explicit Counts(const Trace& trace) : trace_(trace) {
        for (const Stream& stream : trace.streams()) bytes_ += stream.bytes - OVNI_FORMAT_STREAM_HEADER;
    }

    // The number of damaged streams.
    int count_all() {
        int damaged = 0;
        for (uint32_t i = 0; i < trace_.streams().size(); ++i) {
            try {
                count(i);
            } catch (const Error& e) {
                log::error("{}", e.what());
                ++damaged;
            }
        }
        progress_.finish(events_, bytes_ == 0 ? 1 : static_cast<double>(read_) / static_cast<double>(bytes_));
        return damaged;
    }

    DataTable table() const {
        std::vector<std::pair<EventCode, uint64_t>> rows;
        count_.for_each([&](EventCode code, uint64_t count) { rows.emplace_back(code, count); });
        std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : printable(a.first) < printable(b.first);
        });
        DataTable table{"events", {text_column("code", "", 0), number_column("events", "", 10)}};
        table.form = DataTable::Form::rows;
        for (const auto& [code, count] : rows) table.rows.push_back({printable(code), count});
        return table;
    }

 private:
    void count(uint32_t stream) {
        StreamReader reader = trace_.reader(stream, 0, ClockOrder::any);
        uint64_t read_before = read_;
        auto update = [&] {
            read_ = read_before + reader.consumed();
            progress_.update(events_, static_cast<double>(read_) / static_cast<double>(bytes_));
        };
        try {
            for (bool more = reader.next(); more; update())
                more = reader.is_plain() ? count_some(reader) : count_one(reader);
        } catch (const Error&) {
            update();
            throw;
        }
    }

    bool count_some(StreamReader& reader) {
        constexpr size_t most = 4096;
        return reader.take(INT64_MAX, most, UINT64_MAX, [&](int64_t, uint64_t, const uint8_t* event) {
            ++count_[EventCode::from_bytes(event + OVNI_FORMAT_CODE_AT)];
            ++events_;
        });
    }

    bool count_one(StreamReader& reader) {
        if (reader.event().kind == EventView::Kind::event) {
            ++count_[reader.event().code];
            ++events_;
        }
        return reader.next();
    }

    const Trace& trace_;
    CodeTable<uint64_t> count_;
    uint64_t events_ = 0, read_ = 0, bytes_ = 0;
    Progress progress_;
};

}  // namespace

MadeTables count_events(const TracePart& part) {
    const Trace trace = open_for_table(part, Metadata::version_only);
    Counts counts(trace);
    const int damaged = counts.count_all();
    return {{counts.table()}, damaged == 0 ? 0 : 1};
}

}  // namespace ovni
