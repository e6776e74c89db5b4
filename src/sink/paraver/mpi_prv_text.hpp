// The text of mpi.prv: lines of states, of calls of MPI with their details, of messages, of waits and of the
// critical path, for the tasks and threads of one file.
//
// The tools that read it want the pair of an event type of MPI to be the first of its line, and a root only
// in the line of the root. They misread the text 40000018:2 wherever it is: there the second number gets a
// leading zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/records/record.hpp"
#include "messages/match/message_record.hpp"
#include "messages/plan/mpi_call.hpp"
#include "messages/plan/mpi_plan.hpp"

namespace ovni {

// Its length does not depend on `end`. `began` as in prv_header. A file has at least one node.
std::string mpi_prv_header(const MpiPlan::File& file, int64_t end, std::optional<int64_t> began = {});

// The values that a file shows.
struct ShownInMpi {
    static constexpr size_t functions = 1024;
    std::array<uint64_t, functions / 64> called{};  // bits, by place in mpi_function_rows
    uint64_t is_init_made_up = 0;                   // 0 or 1, as the next two
    uint64_t has_gaps = 0;
    uint64_t has_path = 0;
    uint64_t waits = 0;  // bits, by WaitKind

    bool has(size_t function) const { return (called[function / 64] >> function % 64 & 1u) != 0; }
    // True if the file shows that value of a type of traffic.
    bool has(uint32_t type, int64_t value) const {
        return type == prv_type::critical_path ? has_path != 0 : (waits >> value & 1u) != 0;
    }
};

// Types of records that are found from the traffic between processes, and stand in mpi.prv, too.
inline bool is_of_traffic(uint32_t type) {
    return type == prv_type::wait_state || type == prv_type::critical_path;
}

class MpiPrvText {
 public:
    enum class States : uint8_t { shown, left_out };
    // Room for all lines of one call, or for that of a message.
    static constexpr size_t slack = 1024;

    // `plan` outlives this.
    MpiPrvText(const MpiPlan& plan, States states);

    // Write the lines of an item, into the file that it belongs to. Return their bytes.
    size_t format(const Record& record, std::span<char, slack> room);
    size_t format(const MpiCall& call, std::span<char, slack> room);
    size_t format(const MessageRecord& message, std::span<char, slack> room);

    // The time of the last line so far.
    int64_t last_time() const { return last_time_; }
    const ShownInMpi& shown(uint32_t file) const { return shown_[file]; }

 private:
    class Line;
    void put_event(Line& line, const MpiCall& call);
    void put_details(Line& line, const MpiCall& call) const;

    const MpiPlan& plan_;
    States states_;
    std::vector<std::string> threads_;  // "cpu:1:task:thread:"
    std::vector<ShownInMpi> shown_;     // by file
    int64_t last_time_ = 0;
};

}  // namespace ovni
