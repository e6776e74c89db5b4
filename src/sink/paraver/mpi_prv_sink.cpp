#include "sink/paraver/mpi_prv_sink.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "sink/output_names.hpp"
#include "sink/paraver/mpi_side_files.hpp"
#include "sink/placed_file.hpp"

namespace ovni {

struct MpiPrvSink::File {
    File(const Ranks& ranks, const std::filesystem::path& directory, size_t world, const MpiPlan::File& file,
         std::optional<int64_t> began)
        : name(world == 0 ? "mpi" : fmt::format("mpi.world{}", world + 1)),
          placed(ranks, output_path(directory, name, ".prv", Ending::complete),
                 mpi_prv_header(file, 0, began)) {}

    std::string name;
    PlacedFile placed;
};

MpiPrvSink::MpiPrvSink(std::filesystem::path directory) : directory_(std::move(directory)) {}
MpiPrvSink::~MpiPrvSink() = default;

void MpiPrvSink::expect(const Expected& expected) {
    plan_ = &expected.mpi;
    text_.emplace(expected.mpi,
                  expected.leaves_out_states ? MpiPrvText::States::left_out : MpiPrvText::States::shown);
}

void MpiPrvSink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    files_.clear();
    if (!plan_->has_files() && ranks.is_root())
        log::warn("no MPI program is in this trace, mpi.prv is not written");
    for (size_t w = 0; w < plan_->files.size(); ++w)
        files_.push_back(std::make_unique<File>(ranks, directory_, w, plan_->files[w], plan.schema.began));
}

void MpiPrvSink::share(const Slice& /*slice*/) {
    if (!files_.empty() && !ranks_->is_alone()) place_kept(*ranks_, placed());
}

std::vector<PlacedFile*> MpiPrvSink::placed() const {
    std::vector<PlacedFile*> placed;
    for (const auto& file : files_) placed.push_back(&file->placed);
    return placed;
}

// In the order of moments. At one moment records come first, then calls, then messages.
void MpiPrvSink::write(const Slice& slice) {
    if (files_.empty()) return;
    if (!ranks_->is_alone()) write_placed(*ranks_, placed());
    std::span<const Record> records = slice.records;
    std::span<const MpiCall> calls = slice.calls;
    auto format_records = [&](Moment until) {
        for (; !records.empty() && records.front().moment() <= until; records = records.subspan(1))
            format(records.front());
    };
    auto format_calls = [&](Moment until) {
        for (; !calls.empty() && calls.front().moment() <= until; calls = calls.subspan(1)) {
            format_records(calls.front().moment());
            format(calls.front());
        }
        format_records(until);
    };
    for (const MessageRecord& message : slice.messages) {
        format_calls(message.moment());
        format(message);
    }
    format_calls(end_of_trace);
}

// Other states are those of thread.prv.
void MpiPrvSink::format(const Record& record) {
    if (!is_of_traffic(record.type)) return;
    const MpiPlan::Thread* thread = plan_->thread_of(record.thread_row);
    if (!thread) return;
    PlacedFile& file = files_[thread->file]->placed;
    file.add(text_->format(record, file.room(MpiPrvText::slack).first<MpiPrvText::slack>()));
}

void MpiPrvSink::format(const MpiCall& call) {
    PlacedFile& file = files_[plan_->threads[call.thread].file]->placed;
    file.add(text_->format(call, file.room(MpiPrvText::slack).first<MpiPrvText::slack>()));
}

// A message between two worlds has no file.
void MpiPrvSink::format(const MessageRecord& message) {
    const MpiPlan::Thread* sender = plan_->thread_of(message.sender_row);
    const MpiPlan::Thread* receiver = plan_->thread_of(message.receiver_row);
    if (!sender || !receiver || sender->file != receiver->file) return;
    PlacedFile& file = files_[sender->file]->placed;
    file.add(text_->format(message, file.room(MpiPrvText::slack).first<MpiPrvText::slack>()));
}

uint64_t MpiPrvSink::bytes_written() const {
    return ovni::bytes_written(placed());
}

std::vector<ShownInMpi> MpiPrvSink::all_shown() const {
    constexpr size_t words = sizeof(ShownInMpi) / sizeof(uint64_t);
    std::vector<uint64_t> bits;
    for (uint32_t f = 0; f < files_.size(); ++f) {
        const ShownInMpi& shown = text_->shown(f);
        bits.insert(bits.end(), shown.called.begin(), shown.called.end());
        bits.insert(bits.end(), {shown.is_init_made_up, shown.has_gaps, shown.has_path, shown.waits});
    }
    bits = ranks_->allreduce(Op::bit_or, std::move(bits));
    std::vector<ShownInMpi> all(files_.size());
    for (size_t f = 0; f < all.size(); ++f) {
        const std::span of_file = std::span(bits).subspan(f * words, words);
        std::ranges::copy(of_file.first(words - 4), all[f].called.begin());
        all[f].is_init_made_up = of_file[words - 4];
        all[f].has_gaps = of_file[words - 3];
        all[f].has_path = of_file[words - 2];
        all[f].waits = of_file[words - 1];
    }
    return all;
}

// States and messages of a trace that is not complete may reach behind its end.
void MpiPrvSink::end(const Outcome& outcome) {
    if (files_.empty()) return;
    if (!ranks_->is_alone()) {
        place_kept(*ranks_, placed());
        ranks_->agree([&] { write_placed(*ranks_, placed()); });
    }
    const int64_t end = ranks_->allreduce(Op::max, std::max(outcome.duration, text_->last_time()));
    const std::vector<ShownInMpi> shown = all_shown();
    for (size_t f = 0; f < files_.size(); ++f)
        files_[f]->placed.finish(mpi_prv_header(plan_->files[f], end, outcome.schema.began));
    ranks_->agree([&] {
        if (!ranks_->is_root()) return;
        std::vector<OutputFile> side_files;
        auto path_of = [&](size_t f, std::string_view extension) {
            return output_path(directory_, files_[f]->name, extension, outcome.ending);
        };
        for (size_t f = 0; f < files_.size(); ++f) {
            side_files.emplace_back(path_of(f, ".pcf")).write(mpi_pcf_text(shown[f], outcome.schema.thread));
            side_files.emplace_back(path_of(f, ".row")).write(mpi_row_text(*plan_, plan_->files[f]));
        }
        for (OutputFile& file : side_files) file.commit();
        for (size_t f = 0; f < files_.size(); ++f) files_[f]->placed.commit_as(path_of(f, ".prv"));
        if (outcome.ending != Ending::partial)
            for (const auto& file : files_) remove_partial(directory_, file->name);
    });
}

}  // namespace ovni
