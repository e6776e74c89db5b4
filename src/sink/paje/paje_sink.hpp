// --paje: the trace in the format of Pajé (L. Schnorr: Paje trace file format, 2016), for ViTE and PajeNG:
// nodes, processes and threads as containers, what rows show as states and variables, messages as links. The
// file is in the order of time. ViTE shows one kind of states in a container: calls of MPI stand in the
// thread itself, each further kind in a container of its own below it, made when it first shows something.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sink/paje/later_items.hpp"
#include "sink/placed_file.hpp"
#include "sink/row_states.hpp"
#include "sink/sink.hpp"
#include "sink/slice_messages.hpp"

namespace ovni {

class PajeSink : public Sink {
 public:
    explicit PajeSink(std::filesystem::path path) : path_(std::move(path)) {}

    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    void end(const Outcome& outcome) override;
    uint64_t bytes_written() const override { return file_->bytes_written(); }

 private:
    // The place where a message is received.
    struct LinkEnd {
        int64_t time;
        uint64_t number;
        uint32_t row, padding;
        std::pair<int64_t, uint64_t> key() const { return {time, number}; }
    };
    using Value = std::pair<uint32_t, int64_t>;  // a place in the types of the thread file, and what it shows

    void define(const Plan& plan);
    void define_values(const FileSchema& file);
    void create_containers(const Schema& schema);
    void expect_ends(const Slice& slice);
    void add(const Record& record);
    void add_state(const Record& record, const RowStates::Change& change);
    std::string container_of(RowStates::Key key) const;
    void add(const MessageRecord& message);
    void add(const LinkEnd& end);
    void add_late_values(const Outcome& outcome);
    void destroy_containers(int64_t time, std::vector<uint64_t> made);
    void flush();
    void place();

    std::filesystem::path path_;
    const Ranks* ranks_ = nullptr;
    const Schema* schema_ = nullptr;
    RowStates states_;
    std::vector<uint64_t> made_;  // containers of this rank's states: row << 32 | place
    std::set<Value> defined_, used_late_;
    LaterItems<LinkEnd> ends_;
    MessageNumbers links_;
    std::string header_;  // definitions of all but the containers
    std::string containers_;
    std::string text_;  // lines that are not in the file yet
    std::optional<PlacedFile> file_;
};

}  // namespace ovni
