#include <array>

#include "region/alarm.hpp"

namespace ovni::region {

namespace {

// The spelling in chains. Others that mean the same are in chain_parser.cpp.
constexpr std::array<KindRow, kind_count> rows = {{
    {Kind::icount, "icount", BackEnd::missing},
    {Kind::uniform, "uniform", BackEnd::missing},
    {Kind::address, "address", BackEnd::missing},
    {Kind::ssc, "ssc", BackEnd::missing},
    {Kind::itext, "itext", BackEnd::missing},
    {Kind::isa_extension, "isa-extension", BackEnd::missing},
    {Kind::isa_category, "isa-category", BackEnd::missing},
    {Kind::int3, "int3", BackEnd::missing},
    {Kind::cpuid, "cpuid", BackEnd::missing},
    {Kind::magic, "magic", BackEnd::missing},
    {Kind::pcontrol, "pcontrol", BackEnd::present},
    {Kind::enter_function, "enter_func", BackEnd::missing},
    {Kind::exit_function, "exit_func", BackEnd::missing},
    {Kind::mpi, "mpi", BackEnd::present},
    {Kind::slow_call, "slowcall", BackEnd::present},
    {Kind::interactive, "interactive", BackEnd::present},
    {Kind::timeout, "timeout", BackEnd::present},
}};

constexpr bool is_in_order() {
    for (size_t i = 0; i < rows.size(); ++i)
        if (static_cast<size_t>(rows[i].kind) != i) return false;
    return true;
}
static_assert(is_in_order());

constexpr std::array<std::string_view, 4> events = {"start", "stop", "threadid", "precond"};

}  // namespace

std::span<const KindRow, kind_count> kind_rows() noexcept {
    return rows;
}

std::string_view name_of(Kind kind) noexcept {
    return rows[static_cast<size_t>(kind)].name;
}

std::string_view name_of(Event event) noexcept {
    return events[static_cast<size_t>(event)];
}

}  // namespace ovni::region
