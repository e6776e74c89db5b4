// One chain of alarms from its text. ovnirun --help control has the whole grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "region/alarm.hpp"
#include "region/chain_text.hpp"
#include "region/known_names.hpp"

namespace ovni::region {

// `warnings` gets a sentence for each accepted mistake.
Fault parse_chain(std::string_view text, const KnownNames& known, Chain& chain,
                  std::vector<std::string>& warnings) noexcept;

}  // namespace ovni::region
