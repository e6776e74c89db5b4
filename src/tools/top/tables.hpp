// The tables of ovnitop, as --help lists them.
#pragma once

#include <array>

#include "tools/top/top_table.hpp"

namespace ovni {

extern const TopTable mpi_table, call_site_table, counter_table, lock_table, region_table, message_table,
    matrix_table, wait_table, efficiency_table, openmp_table, waiting_table;

inline constexpr std::array top_tables = {&mpi_table,        &call_site_table, &counter_table, &lock_table,
                                          &region_table,     &message_table,   &matrix_table,  &wait_table,
                                          &efficiency_table, &openmp_table,    &waiting_table};

// Without an option.
MadeTables count_events(const TracePart& part);

}  // namespace ovni
