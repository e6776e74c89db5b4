#include "model/paraver_mpi.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "model/large_counts.hpp"
#include "model/paraver_numbers.hpp"
#include "mpi_function_rows.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

constexpr size_t functions = std::size(mpi_function_rows);

// Type 0: in the event type of its family.
constexpr uint32_t type_of_family(std::string_view family) {
    using namespace paraver_mpi;
    if (family == "p2p" || family == "persistent" || family == "completion") return point_to_point;
    if (family == "collective") return collective;
    if (family == "rma") return one_sided;
    return family == "io" ? io : other;
}

constexpr uint32_t type_of(const MpiFunctionRow& row) {
    constexpr std::string_view others[] = {
        "MPI_Test",  "MPI_Testall",  "MPI_Testany",      "MPI_Testsome",
        "MPI_Start", "MPI_Startall", "MPI_Request_free", "MPI_Request_get_status"};
    if (std::ranges::find(others, row.name) != std::end(others)) return paraver_mpi::other;
    return type_of_family(row.family);
}

constexpr ParaverState state_of(const MpiFunctionRow& row) {
    using State = ParaverState;
    if (row.family == "io") return State::io;
    if (row.name == "MPI_Win_wait" || row.name == "MPI_Win_test") return State::wait;
    switch (row.record) {
        case MpiRecord::Send:
            return State::blocking_send;
        case MpiRecord::PostedSend:
            return State::immediate_send;
        case MpiRecord::Receive:
        case MpiRecord::MatchedReceive:
            return State::waiting_for_message;
        case MpiRecord::PostedReceive:
        case MpiRecord::PostedMatchedReceive:
            return State::immediate_receive;
        case MpiRecord::Exchange:
        case MpiRecord::PostedExchange:
            return State::send_receive;
        case MpiRecord::Completion:
        case MpiRecord::Completions:
            return State::wait;
        case MpiRecord::Probe:
            return State::test_or_probe;
        case MpiRecord::Collective:
            return State::group_communication;
        case MpiRecord::OneSided:
        case MpiRecord::Synchronisation:
            return State::memory_transfer;
        default:
            return State::others;
    }
}

// An index, or `functions`. With UndefinedBehaviorSanitizer, g++ 12 cannot compare pointers as it compiles.
constexpr size_t find(std::string_view name) {
    return static_cast<size_t>(std::ranges::find(mpi_function_rows, name, &MpiFunctionRow::name) -
                               std::begin(mpi_function_rows));
}

constexpr bool are_good(std::span<const NumberedMpiFunction> rows) {
    return std::ranges::all_of(rows, [](const NumberedMpiFunction& row) {
        return find(row.name) < functions && row.number > 0 && row.number < paraver_mpi::first_illegal_number;
    });
}
static_assert(are_good(paraver_numbers) && are_good(paraver_numbers_of_kin));

std::array<ParaverFunction, functions> make_table() {
    std::array<ParaverFunction, functions> table;
    for (size_t f = 0; f < functions; ++f) table[f].state = state_of(mpi_function_rows[f]);
    auto add = [&](const NumberedMpiFunction& numbered) {
        const size_t row = find(numbered.name);
        ParaverFunction& function = table[row];
        function.type = type_of(mpi_function_rows[row]);
        function.number = numbered.number;
    };
    std::ranges::for_each(paraver_numbers, add);
    std::ranges::for_each(paraver_numbers_of_kin, add);
    // Functions with large counts have the numbers of those without.
    for (size_t f = 0; f < functions; ++f) {
        const size_t elder = find(without_large_counts(mpi_function_rows[f].name));
        if (elder != f && elder < functions && table[elder].number != 0)
            add({mpi_function_rows[f].name, table[elder].number});
    }
    return table;
}

}  // namespace

const ParaverFunction& paraver_function(uint16_t function) {
    static const std::array<ParaverFunction, functions> table = make_table();
    return table[function];
}

std::string_view name_of_paraver_number(uint16_t number) {
    const auto* row = std::ranges::find(paraver_numbers, number, &NumberedMpiFunction::number);
    return row == std::end(paraver_numbers) ? std::string_view() : row->name;
}

int64_t function_value(uint16_t function) {
    const MpiFunctionRow& row = mpi_function_rows[function];
    return row.number == 0 ? function + 1 : OVNI_MPI_FIRST_VALUE - 1 + row.number;
}

}  // namespace ovni
