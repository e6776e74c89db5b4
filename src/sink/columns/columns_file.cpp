#include "sink/columns/columns_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "sink/columns/column_layouts.hpp"
#include "sink/columns/hdf5_file.hpp"
#include "sink/output_names.hpp"

namespace ovni {

namespace {

constexpr int64_t version = 1;

using Numbers = std::vector<int64_t>;
using Texts = std::vector<std::string>;

std::vector<const FileSchema*> files_of(const Schema& schema) {
    std::vector<const FileSchema*> files{&schema.thread, &schema.cpu};
    for (const FileSchema& breakdown : schema.breakdowns) files.push_back(&breakdown);
    return files;
}

Table types_of(const Schema& schema) {
    Texts files, titles;
    Numbers types;
    for (const FileSchema* file : files_of(schema))
        for (const EventType& type : file->types) {
            files.push_back(file->name);
            types.push_back(type.shown());
            titles.push_back(type.title);
        }
    return {"types",
            "channel types: what Paraver calls event types",
            {{"file", "the Paraver trace that shows it", files},
             {"type", "number; its rows are in /channels/<type>", types},
             {"title", "what it shows", titles}}};
}

Table labels_of(const Schema& schema) {
    Texts files, labels;
    Numbers types, values;
    for (const FileSchema* file : files_of(schema))
        for (const EventType& type : file->types)
            for (const auto& [value, label] : type.labels.all()) {
                files.push_back(file->name);
                types.push_back(type.shown());
                values.push_back(value);
                labels.emplace_back(label);
            }
    return {"labels",
            "what values mean",
            {{"file", "the Paraver trace", files},
             {"type", "channel type", types},
             {"value", "a value of it", values},
             {"label", "its name", labels}}};
}

Table row_labels_of(const FileSchema& file) {
    Numbers rows(file.rows->size());
    for (size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<int64_t>(r);
    Texts labels;
    for (std::string_view label : file.rows->all()) labels.emplace_back(label);
    return {"rows/" + file.name,
            "rows of /breakdowns/" + file.name,
            {{"row", "from 0", rows}, {"label", "as in its .row file", labels}}};
}

struct Rows {
    Hdf5Handle dataset;
    uint64_t count = 0;
};

class Hdf5Columns : public ColumnsFile {
 public:
    Hdf5Columns(std::filesystem::path path, const Schema& schema)
        : path_(std::move(path)), output_(path_), file_(output_.open_file(), path_), schema_(schema) {
        breakdowns_.resize(schema.breakdowns.size());
    }

    void append(ColumnName column, size_t count, std::span<const uint8_t> filtered) override {
        Rows& rows = rows_of(column);
        if (!rows.dataset) rows.dataset = make(column, count);
        file_.resize(rows.dataset, rows.count + count);
        file_.write_chunk(rows.dataset, rows.count, filtered);
        rows.count += count;
    }

    void end(const Schema& schema, const Facts& facts, int64_t duration, Ending ending) override {
        for (size_t b = 0; b < breakdowns_.size(); ++b) {
            ColumnName name{ColumnKind::breakdown, static_cast<uint16_t>(b)};
            if (!breakdowns_[b].dataset) breakdowns_[b].dataset = make(name, 1);
            file_.close(breakdowns_[b].dataset);
        }
        channels_.visit([&](uint16_t, Rows& rows) { file_.close(rows.dataset); });
        for (auto& [kind, rows] : traffic_) file_.close(rows.dataset);
        describe(schema, facts, duration, ending);
        file_.close();
        commit(output_, path_, ending);
    }

 private:
    Rows& rows_of(ColumnName column) {
        if (traffic_layout(column.kind)) return traffic_[column.kind];
        return column.kind == ColumnKind::channel ? channels_[column.number] : breakdowns_[column.number];
    }
    // Types of all files have the same numbers.
    std::string path_of_channel(uint16_t type) const {
        for (const FileSchema* file : {&schema_.thread, &schema_.cpu}) {
            auto found = std::ranges::find(file->types, type, &EventType::type);
            if (found != file->types.end()) return "/channels/" + std::to_string(found->shown());
        }
        return "/channels/" + std::to_string(type);
    }
    Hdf5Handle make(ColumnName column, size_t chunk) {
        if (column.kind == ColumnKind::channel)
            return file_.make_rows(path_of_channel(column.number), channel_rows, chunk);
        if (const TrafficLayout* traffic = traffic_layout(column.kind))
            return file_.make_rows(traffic->path, traffic->rows, chunk);
        return file_.make_rows("/breakdowns/" + schema_.breakdowns[column.number].name, breakdown_rows,
                               chunk);
    }
    void title(const FileSchema& schema, uint16_t type, const char* name) {
        auto found = std::ranges::find(schema.types, type, &EventType::type);
        if (found != schema.types.end()) file_.describe(path_of_channel(type), name, found->title);
    }
    void describe(const Schema& schema, const Facts& facts, int64_t duration, Ending ending) {
        file_.describe("/", "format", "ovni-mpi columns");
        file_.describe("/", "version", version);
        file_.describe("/", "time", "ns since the first event of the trace, by the corrected clocks");
        file_.describe("/", "thread", "row in rows/threads, -1 where the change is not shown for a thread");
        file_.describe("/", "cpu", "row in rows/cpus, -1 where the change is not shown for a CPU");
        file_.describe("/", "value", "what the row shows from then on, see labels; 0: nothing");
        file_.describe("/", "duration", duration);
        file_.describe("/", "complete", int64_t{ending == Ending::complete});
        for (const auto& [name, word] : facts.words) file_.describe("/", name, word);
        channels_.visit([&](uint16_t type, Rows&) {
            title(schema.thread, type, "thread_title");
            title(schema.cpu, type, "cpu_title");
        });
        for (const auto& [kind, rows] : traffic_) {
            const TrafficLayout& of = *traffic_layout(kind);
            file_.describe(of.path, "about", of.about);
            for (const AboutColumn& column : of.columns) file_.describe(of.path, column.name, column.about);
        }
        file_.write(types_of(schema));
        file_.write(labels_of(schema));
        for (const FileSchema& breakdown : schema.breakdowns) file_.write(row_labels_of(breakdown));
        for (const Table& table : facts.tables) file_.write(table);
    }

    std::filesystem::path path_;
    OutputFile output_;
    Hdf5File file_;
    const Schema schema_;
    ByType<Rows> channels_;
    std::vector<Rows> breakdowns_;
    std::map<ColumnKind, Rows> traffic_;
};

}  // namespace

void ColumnsFile::expect_library() {}

std::unique_ptr<ColumnsFile> ColumnsFile::make(const std::filesystem::path& path, const Schema& schema) {
    return std::make_unique<Hdf5Columns>(path, schema);
}

}  // namespace ovni
