#include "emu/parallel_output.hpp"

#include <numeric>

namespace ovni {

namespace {

constexpr size_t first_breakdown = 2;  // in files_

}  // namespace

ParallelOutput::ParallelOutput(const Comm& comm, const std::filesystem::path& directory, const Plan& plan,
                               const System& system)
    : comm_(comm) {
    auto add = [&](TraceFile file, const FileSchema& schema) {
        files_.push_back(std::make_unique<ParallelPrv>(comm, directory, file, schema));
    };
    add(TraceFile::thread, plan.schema.thread);
    add(TraceFile::cpu, plan.schema.cpu);
    for (const FileSchema& breakdown : plan.schema.breakdowns) add(TraceFile::thread, breakdown);
    for (const BreakdownPlan& breakdown : plan.breakdowns)
        rows_.emplace_back(breakdown.spec().prv_type, system.cpus().size() - system.looms().size());
}

// A slice begins where the changes of all slices before it lead.
std::vector<Record> ParallelOutput::breakdown_lines(size_t which, const Slice& slice) {
    std::vector<BreakdownChange> mine = changes_of(slice.changes, static_cast<uint16_t>(which));
    std::vector<Record> lines;
    int rank = 0;
    for (const auto& sum : comm_.allgather(SortedRows::sum_of(mine))) {
        if (rank++ == comm_.rank()) SortedRows(rows_[which]).apply(mine, lines);
        rows_[which].skip(sum);
    }
    return lines;
}

void ParallelOutput::write(const Slice& slice) {
    std::vector<std::vector<Record>> lines;
    for (size_t b = 0; b < rows_.size(); ++b) lines.push_back(breakdown_lines(b, slice));
    comm_.agree([&] {
        for (size_t f = 0; f < first_breakdown; ++f) files_[f]->format(slice.records);
        for (size_t b = 0; b < lines.size(); ++b) files_[first_breakdown + b]->format(lines[b]);
    });
    write_formatted();
}

void ParallelOutput::write_formatted() {
    std::vector<uint64_t> bytes;
    for (const auto& file : files_) bytes.push_back(file->formatted());
    bytes_written_ += std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    PerRank<std::vector<uint64_t>> of_ranks = comm_.allgather_equal(bytes);
    std::vector<uint64_t> before(files_.size()), all(files_.size());
    for (int rank = 0; rank < comm_.size(); ++rank)
        for (size_t f = 0; f < files_.size(); ++f) {
            if (rank < comm_.rank()) before[f] += of_ranks[static_cast<size_t>(rank)][f];
            all[f] += of_ranks[static_cast<size_t>(rank)][f];
        }
    comm_.agree([&] {
        for (size_t i = 0; i < files_.size(); ++i) {
            size_t f = (i + static_cast<size_t>(comm_.rank())) % files_.size();
            files_[f]->write_formatted(before[f]);
        }
    });
    for (size_t f = 0; f < files_.size(); ++f) files_[f]->advance(all[f]);
}

void ParallelOutput::finish(const Schema& schema, int64_t duration, Ending ending) {
    files_[0]->finish(schema.thread, duration, ending);
    files_[1]->finish(schema.cpu, duration, ending);
    for (size_t b = 0; b < schema.breakdowns.size(); ++b)
        files_[first_breakdown + b]->finish(schema.breakdowns[b], duration, ending);
    for (auto& file : files_) file->commit();
}

}  // namespace ovni
