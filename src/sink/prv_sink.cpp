#include "sink/prv_sink.hpp"

#include <string>
#include <utility>

#include "base/file.hpp"
#include "sink/output_names.hpp"
#include "sink/pcf.hpp"
#include "sink/prv_text.hpp"
#include "sink/row.hpp"

namespace ovni {

// One PRV file while it is written.
class PrvSink::File {
 public:
    File(const std::filesystem::path& directory, const FileSchema& schema, TraceFile which)
        : output(directory / (schema.name + ".prv")), text_(which, schema.rows.size()), buffer_(buffer_size) {
        output.write(prv_header(schema.rows.size(), 0));
    }

    void write(std::span<const Record> records) {
        while (!records.empty()) {
            auto [taken, bytes] = text_.format(records, std::span(buffer_).subspan(filled_));
            filled_ += bytes;
            records = records.subspan(taken);
            if (!records.empty()) flush();
        }
    }

    void finish(size_t rows, int64_t duration) {
        flush();
        output.write_at(0, prv_header(rows, duration));
    }

    OutputFile output;

 private:
    // Large enough for the folios of ext4, small enough for the second level cache.
    static constexpr size_t buffer_size = size_t{512} << 10;

    void flush() {
        output.write({buffer_.data(), filled_});
        filled_ = 0;
    }

    PrvText text_;
    std::vector<char> buffer_;
    size_t filled_ = 0;
};

PrvSink::PrvSink(std::filesystem::path directory) : directory_(std::move(directory)) {}
PrvSink::~PrvSink() = default;

void PrvSink::begin(const Schema& schema) {
    files_.clear();
    files_.push_back(std::make_unique<File>(directory_, schema.thread, TraceFile::thread));
    files_.push_back(std::make_unique<File>(directory_, schema.cpu, TraceFile::cpu));
    for (const FileSchema& breakdown : schema.breakdowns)
        files_.push_back(std::make_unique<File>(directory_, breakdown, TraceFile::thread));
}

void PrvSink::write(std::span<const Record> records) {
    for (size_t f = 0; f < Schema::first_breakdown; ++f) files_[f]->write(records);
}

void PrvSink::write_breakdown(size_t which, std::span<const Record> lines) {
    files_[Schema::first_breakdown + which]->write(lines);
}

void PrvSink::end(const Schema& schema, int64_t duration, Ending ending) {
    std::vector<std::pair<OutputFile, std::filesystem::path>> small;
    std::vector schemas{&schema.thread, &schema.cpu};
    for (const FileSchema& breakdown : schema.breakdowns) schemas.push_back(&breakdown);
    auto path_of = [&](const FileSchema& file, std::string_view extension) {
        return output_path(directory_, file.name, extension, ending);
    };
    for (size_t i = 0; i < files_.size(); ++i) {
        files_[i]->finish(schemas[i]->rows.size(), duration);
        auto add = [&](std::string_view extension, const std::string& text) {
            auto path = path_of(*schemas[i], extension);
            OutputFile output(path);
            output.write(text);
            small.emplace_back(std::move(output), path);
        };
        add(".pcf", pcf_text(*schemas[i]));
        add(".row", row_text(*schemas[i]));
    }
    // Everything is written: only now names are given, those that people open last.
    for (auto& [output, path] : small) output.commit_as(path);
    for (size_t i = 0; i < files_.size(); ++i) files_[i]->output.commit_as(path_of(*schemas[i], ".prv"));
    if (ending != Ending::partial)
        for (const FileSchema* file : schemas) remove_partial(directory_, file->name);
    files_.clear();
}

}  // namespace ovni
