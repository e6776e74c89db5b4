#include "mpi/emu/parallel_output.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/log.hpp"
#include "mpi/comm/host_names.hpp"

namespace ovni {

ParallelOutput::ParallelOutput(const Comm& comm, const std::filesystem::path& directory, const Plan& plan,
                               const System& system, Writer::Mode mode)
    : comm_(comm), mode_(mode) {
    auto add = [&](TraceFile file, const FileSchema& schema) {
        files_.push_back(std::make_unique<ParallelPrv>(comm, directory, file, schema));
    };
    add(TraceFile::thread, plan.schema.thread);
    add(TraceFile::cpu, plan.schema.cpu);
    for (const FileSchema& breakdown : plan.schema.breakdowns) add(TraceFile::thread, breakdown);
    if (!files_.front()->is_shared())
        log::info("{}: not all ranks see it, rank 0 writes for all, on the node {}", directory.string(),
                  host_name());
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

void ParallelOutput::write(Slice& slice, ParallelColumns* columns) {
    std::vector<std::vector<Record>> lines;
    for (size_t b = 0; b < rows_.size(); ++b) lines.push_back(breakdown_lines(b, slice));
    if (columns) columns->write({slice.records.data(), slice.records.size()}, lines);
    std::vector<uint64_t> before = settle();
    std::swap(records_, slice.records);
    lines_ = std::move(lines);
    start([this, before = std::move(before)] {
        write_formatted(before);
        for (size_t f = 0; f < Schema::first_breakdown; ++f) files_[f]->format(records_);
        for (size_t b = 0; b < lines_.size(); ++b) files_[Schema::first_breakdown + b]->format(lines_[b]);
    });
}

void ParallelOutput::start(std::function<void()> work) {
    if (mode_ == Writer::Mode::own_thread) {
        work_ = std::async(std::launch::async, std::move(work));
        return;
    }
    std::packaged_task<void()> task(std::move(work));
    work_ = task.get_future();
    task();
}

// Waits for the work of all ranks. Where in the files this one has to write what it formatted.
std::vector<uint64_t> ParallelOutput::settle() {
    std::exception_ptr failure;
    try {
        if (work_.valid()) work_.get();
    } catch (...) {
        failure = std::current_exception();
    }
    std::vector<uint64_t> bytes;
    for (const auto& file : files_) bytes.push_back(file->formatted());
    bytes_written_ += std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    bytes.push_back(failure ? 1 : 0);
    std::vector<uint64_t> before(bytes.size()), all(bytes.size());
    int rank = 0;
    for (const std::vector<uint64_t>& of_rank : comm_.allgather_equal(bytes)) {
        if (rank++ == comm_.rank()) before = all;
        std::ranges::transform(all, of_rank, all.begin(), std::plus());
    }
    if (all.back() > 0)
        comm_.agree([&] {
            if (failure) std::rethrow_exception(failure);
        });
    for (size_t f = 0; f < files_.size(); ++f) {
        before[f] += files_[f]->grow(all[f]);
        files_[f]->hand_over();
    }
    return before;
}

// On one node two writers in one file wait for each other, so ranks begin with different files.
void ParallelOutput::write_formatted(const std::vector<uint64_t>& offsets) {
    for (size_t i = 0; i < files_.size(); ++i) {
        size_t f = (i + static_cast<size_t>(comm_.rank())) % files_.size();
        files_[f]->write_formatted(offsets[f]);
    }
}

void ParallelOutput::finish(const Schema& schema, int64_t duration, Ending ending) {
    std::vector<uint64_t> offsets = settle();
    comm_.agree([&] { write_formatted(offsets); });
    files_[0]->finish(schema.thread, duration, ending);
    files_[1]->finish(schema.cpu, duration, ending);
    for (size_t b = 0; b < schema.breakdowns.size(); ++b)
        files_[Schema::first_breakdown + b]->finish(schema.breakdowns[b], duration, ending);
    for (auto& file : files_) file->commit();
}

}  // namespace ovni
