// The trace as tools for MPI want it, with tasks, nodes, communicators, states and messages. Each world is a
// file of its own: mpi.prv, mpi.world2.prv, ..., with their PCF and ROW.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "sink/paraver/mpi_prv_text.hpp"
#include "sink/sink.hpp"

namespace ovni {

class PlacedFile;

class MpiPrvSink : public Sink {
 public:
    // `directory` must exist when the sink begins.
    explicit MpiPrvSink(std::filesystem::path directory);
    ~MpiPrvSink() override;

    void expect(const Expected& expected) override;
    // Warns if no process uses MPI; then there are no files.
    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    // Gives names as PrvSink::end does.
    void end(const Outcome& outcome) override;
    uint64_t bytes_written() const override;
    bool needs_traffic() const override { return false; }
    bool needs_calls() const override { return true; }

 private:
    struct File;
    std::vector<PlacedFile*> placed() const;
    void format(const Record& record);
    void format(const MpiCall& call);
    void format(const MessageRecord& message);
    std::vector<ShownInMpi> all_shown() const;

    std::filesystem::path directory_;
    const MpiPlan* plan_ = nullptr;
    std::optional<MpiPrvText> text_;
    const Ranks* ranks_ = nullptr;
    std::vector<std::unique_ptr<File>> files_;
};

}  // namespace ovni
