#include "sink/paraver/mpi_side_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "base/printable.hpp"
#include "model/paraver_mpi.hpp"
#include "mpi_function_rows.hpp"
#include "sink/paraver/pcf.hpp"

namespace ovni {

namespace {

constexpr auto functions = static_cast<uint16_t>(std::size(mpi_function_rows));

struct StateLabel {
    std::string_view label, color;
};

// One for each ParaverState. Colours are by meaning, as in scripts/plots/meanings.py, which has their shades.
constexpr StateLabel states[] = {
    {"Idle", "{191,167,155}"},
    {"Running", "{148,190,219}"},
    {"Not created", "{255,255,255}"},
    {"Waiting a message", "{221,44,59}"},
    {"Blocking Send", "{175,110,14}"},
    {"Synchronization", "{152,66,189}"},
    {"Test/Probe", "{231,106,116}"},
    {"Scheduling and Fork/Join", "{179,187,198}"},
    {"Wait/WaitAll", "{171,28,40}"},
    {"Blocked", "{112,49,140}"},
    {"Immediate Send", "{208,144,47}"},
    {"Immediate Receive", "{245,200,132}"},
    {"I/O", "{32,151,112}"},
    {"Group Communication", "{236,149,19}"},
    {"Tracing Disabled", "{217,217,217}"},
    {"Others", "{110,125,145}"},
    {"Send Receive", "{154,106,35}"},
    {"Memory transfer", "{241,179,85}"},
};
static_assert(std::size(states) == static_cast<size_t>(ParaverState::count));

struct Family {
    uint32_t type;
    std::string_view label;
};
constexpr Family families[] = {
    {paraver_mpi::point_to_point, "MPI Point-to-point"},
    {paraver_mpi::collective, "MPI Collective Comm"},
    {paraver_mpi::other, "MPI Other"},
    {paraver_mpi::one_sided, "MPI One-sided"},
    {paraver_mpi::io, "MPI I/O"},
};

struct Detail {
    MpiRecord record;  // of the calls that have it
    uint32_t type;
    std::string_view label;
};
constexpr Detail details[] = {
    {MpiRecord::Collective, paraver_mpi::bytes_sent, "Send Size in MPI Global OP"},
    {MpiRecord::Collective, paraver_mpi::bytes_received, "Recv Size in MPI Global OP"},
    {MpiRecord::Collective, paraver_mpi::is_root, "Root in MPI Global OP"},
    {MpiRecord::Collective, paraver_mpi::communicator, "Communicator in MPI Global OP"},
    {MpiRecord::OneSided, paraver_mpi::one_sided_bytes, "MPI One-sided size"},
    {MpiRecord::OneSided, paraver_mpi::one_sided_target, "MPI One-sided target rank"},
    {MpiRecord::Transfer, paraver_mpi::io_bytes, "MPI-IO size in bytes"},
};

class Pcf {
 public:
    Pcf(const ShownInMpi& shown, const FileSchema& threads)
        : text_(pcf_options), shown_(shown), threads_(threads) {}

    std::string text() {
        add_states();
        for (const Family& family : families) add_family(family);
        add_functions();
        for (const Detail& detail : details)
            if (has(detail.record)) begin_type(detail.type, detail.label);
        if (shown_.has_gaps != 0) {
            begin_type(paraver_mpi::tracing, "Tracing");
            text_ += "VALUES\n0      Disabled\n1      Enabled\n";
        }
        for (const EventType& type : threads_.types)
            if (is_of_traffic(type.type)) add(type);
        return std::move(text_);
    }

 private:
    template <class... Arguments>
    void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }
    void begin_type(uint32_t type, std::string_view label) {
        put("\n\nEVENT_TYPE\n0 {:<10} {}\n", type, label);
    }
    void add_states() {
        text_ += "STATES\n";
        for (size_t s = 0; s < std::size(states); ++s) put("{:<6} {}\n", s, states[s].label);
        text_ += "\n\nSTATES_COLOR\n";
        for (size_t s = 0; s < std::size(states); ++s) put("{:<6} {}\n", s, states[s].color);
    }
    void add_family(const Family& family) {
        std::set<uint16_t> numbers;
        for (uint16_t f = 0; f < functions; ++f)
            if (shown_.has(f) && paraver_function(f).type == family.type)
                numbers.insert(paraver_function(f).number);
        if (family.type == paraver_mpi::other && shown_.is_init_made_up != 0)
            numbers.insert(paraver_mpi::init);
        if (numbers.empty()) return;
        begin_type(family.type, family.label);
        text_ += "VALUES\n0      Outside MPI\n";
        for (uint16_t number : numbers) put("{:<6} {}\n", number, name_of_paraver_number(number));
    }
    void add_functions() {
        begin_type(25, "MPI function");
        text_ += "VALUES\n0      Outside MPI\n";
        for (uint16_t f = 0; f < functions; ++f)
            if (shown_.has(f)) put("{:<6} {}\n", function_value(f), mpi_function_rows[f].name);
    }
    void add(const EventType& type) {
        const bool is_shown = std::ranges::any_of(
            type.labels.all(), [&](const auto& label) { return shown_.has(type.type, label.first); });
        if (!is_shown) return;
        begin_type(type.type, type.title);
        text_ += "VALUES\n0      None\n";
        for (const auto& [value, label] : type.labels.all())
            if (shown_.has(type.type, value)) put("{:<6} {}\n", value, label);
    }
    bool has(MpiRecord record) const {
        for (size_t f = 0; f < std::size(mpi_function_rows); ++f)
            if (shown_.has(f) && mpi_function_rows[f].record == record) return true;
        return false;
    }

    std::string text_;
    const ShownInMpi& shown_;
    const FileSchema& threads_;
};

}  // namespace

std::string mpi_pcf_text(const ShownInMpi& shown, const FileSchema& threads) {
    return Pcf(shown, threads).text();
}

std::string mpi_row_text(const MpiPlan& plan, const MpiPlan::File& file) {
    std::vector<const MpiPlan::Thread*> by_cpu(file.threads.size());
    for (uint32_t t : file.threads) by_cpu[plan.threads[t].cpu] = &plan.threads[t];
    std::string text = fmt::format("LEVEL CPU SIZE {}\n", by_cpu.size());
    auto to = std::back_inserter(text);
    for (size_t cpu = 0; cpu < by_cpu.size(); ++cpu)
        fmt::format_to(to, "{:02}.{}\n", cpu + 1,
                       one_line(file.nodes[file.tasks[by_cpu[cpu]->task].node].name));
    fmt::format_to(to, "\nLEVEL NODE SIZE {}\n", file.nodes.size());
    for (const MpiPlan::Node& node : file.nodes) fmt::format_to(to, "{}\n", one_line(node.name));
    fmt::format_to(to, "\nLEVEL THREAD SIZE {}\n", file.threads.size());
    for (uint32_t t : file.threads)
        fmt::format_to(to, "THREAD 1.{}.{}\n", plan.threads[t].task + 1, plan.threads[t].thread + 1);
    return text;
}

}  // namespace ovni
