#include "sink/paraver/prv_sink.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/host_name.hpp"
#include "base/log.hpp"
#include "sink/output_names.hpp"
#include "sink/paraver/pcf.hpp"
#include "sink/paraver/prv_text.hpp"
#include "sink/paraver/row.hpp"
#include "sink/placed_file.hpp"

namespace ovni {

// A PRV file while it is written.
class PrvSink::File {
 public:
    File(const Ranks& ranks, const std::filesystem::path& directory, const FileSchema& schema,
         TraceFile which, std::optional<int64_t> began)
        : placed(ranks, output_path(directory, schema.name, ".prv", Ending::complete),
                 prv_header(schema.rows->size(), 0, began)),
          text_(which, schema.rows->size(), schema) {}

    void format(std::span<const Record> records) {
        while (!records.empty()) {
            auto [taken, bytes] = text_.format(records, placed.room(PrvText::slack));
            placed.add(bytes);
            records = records.subspan(taken);
        }
    }
    // A record comes before a message of its moment.
    void format(std::span<const Record> records, std::span<const MessageRecord> messages) {
        for (const MessageRecord& message : messages) {
            const auto later = std::ranges::upper_bound(records, message.moment(), {}, &Record::moment);
            const auto before = static_cast<size_t>(later - records.begin());
            format(records.first(before));
            records = records.subspan(before);
            placed.add(text_.format(message, placed.room(PrvText::slack).first<PrvText::slack>()));
        }
        format(records);
    }

    PlacedFile placed;

 private:
    PrvText text_;
};

PrvSink::PrvSink(std::filesystem::path directory) : directory_(std::move(directory)) {}
PrvSink::~PrvSink() = default;

void PrvSink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    files_.clear();
    auto add = [&](const FileSchema& schema, TraceFile which) {
        files_.push_back(std::make_unique<File>(ranks, directory_, schema, which, plan.schema.began));
    };
    add(plan.schema.thread, TraceFile::thread);
    add(plan.schema.cpu, TraceFile::cpu);
    for (const FileSchema& breakdown : plan.schema.breakdowns) add(breakdown, TraceFile::thread);
    if (!files_.front()->placed.is_shared())
        log::info("{}: not all ranks see it or can open files in it, rank 0 writes for all, on the node {}",
                  directory_.string(), host_name());
}

// On many ranks the text of a slice is written together with the formatting of the next one: only then all
// ranks know how long theirs is.
void PrvSink::share(const Slice& /*slice*/) {
    if (!ranks_->is_alone()) place_kept(*ranks_, placed());
}

std::vector<PlacedFile*> PrvSink::placed() const {
    std::vector<PlacedFile*> placed;
    for (const auto& file : files_) placed.push_back(&file->placed);
    return placed;
}

void PrvSink::write(const Slice& slice) {
    if (!ranks_->is_alone()) write_placed(*ranks_, placed());
    files_[0]->format(slice.records, slice.messages);
    files_[1]->format(slice.records);
    for (size_t b = 0; b < slice.breakdowns.size(); ++b)
        files_[Schema::first_breakdown + b]->format(slice.breakdowns[b]);
}

uint64_t PrvSink::bytes_written() const {
    return ovni::bytes_written(placed());
}

void PrvSink::end(const Outcome& outcome) {
    if (!ranks_->is_alone()) {
        place_kept(*ranks_, placed());
        ranks_->agree([&] { write_placed(*ranks_, placed()); });
    }
    std::vector schemas{&outcome.schema.thread, &outcome.schema.cpu};
    for (const FileSchema& breakdown : outcome.schema.breakdowns) schemas.push_back(&breakdown);
    for (size_t f = 0; f < files_.size(); ++f)
        files_[f]->placed.finish(
            prv_header(schemas[f]->rows->size(), outcome.duration, outcome.schema.began));
    ranks_->agree([&] {
        if (!ranks_->is_root()) return;
        std::vector<OutputFile> side_files;
        auto path_of = [&](const FileSchema& file, std::string_view extension) {
            return output_path(directory_, file.name, extension, outcome.ending);
        };
        for (const FileSchema* schema : schemas) {
            side_files.emplace_back(path_of(*schema, ".pcf")).write(pcf_text(*schema));
            side_files.emplace_back(path_of(*schema, ".row")).write(row_text(*schema));
        }
        // Everything is written: only now names are given, those that people open last.
        for (OutputFile& file : side_files) file.commit();
        for (size_t f = 0; f < files_.size(); ++f) files_[f]->placed.commit_as(path_of(*schemas[f], ".prv"));
        if (outcome.ending != Ending::partial)
            for (const FileSchema* schema : schemas) remove_partial(directory_, schema->name);
    });
}

}  // namespace ovni
