// One chain of alarms from its text. ovnirun --help control has the whole grammar.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "region/alarm.hpp"
#include "region/chain_text.hpp"

namespace ovni::region {

// `mpi_functions`: names, whose places are the numbers of the functions. If it is empty, names are not
// checked. `warnings` gets a sentence for each accepted mistake.
Fault parse_chain(std::string_view text, std::span<const std::string_view> mpi_functions, Chain& chain,
                  std::vector<std::string>& warnings) noexcept;

}  // namespace ovni::region
