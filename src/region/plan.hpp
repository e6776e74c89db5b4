// All chains of a process, checked together: names, waits for other chains, and alarms that are allowed only
// once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "region/alarm.hpp"
#include "region/chain_text.hpp"
#include "region/known_names.hpp"

namespace ovni::region {

inline constexpr size_t most_alarms = 128;  // of all chains

// Whether every thread begins with a start event that no chain fires.
enum class DefaultStart : uint8_t { off, on };

struct Plan {
    std::vector<Chain> chains;
    std::vector<std::vector<size_t>> waiters;  // for each chain: the chains that its end arms
    std::vector<std::string> warnings;

    // Whether recording is on at the beginning. It is off if a chain starts it later.
    bool begins_recording(DefaultStart default_start) const noexcept;
};

// `chains`: the texts of --control. A fault contains its place in the chain.
Fault make_plan(std::span<const std::string> chains, const KnownNames& known, Plan& plan) noexcept;

// The chains of OVNI_CONTROL, with ';' between them. A ';' in quotes, or an escaped one, does not separate.
Fault split_chains(std::string_view text, std::vector<std::string>& chains) noexcept;

// The reverse of split_chains().
std::string join_chains(std::span<const std::string> chains) noexcept;

// An alarm as the user wrote it; control characters become '?'.
std::string text_of(const Chain& chain, const Alarm& alarm) noexcept;

// Whether any alarm of any chain satisfies `condition`.
template <class Condition>
bool has_alarm(const Plan& plan, Condition condition) {
    return std::ranges::any_of(
        plan.chains, [&](const Chain& chain) { return std::ranges::any_of(chain.alarms, condition); });
}

// The error about the first alarm that has no back end; empty if there is none. Alarms on the program's code
// need libovni-code.so.
enum class CodeLibrary : bool { absent, present };
bool waits_for_code(const Plan& plan) noexcept;
bool has_fixed_address(const Plan& plan) noexcept;
Fault find_missing_back_end(const Plan& plan, CodeLibrary code_library) noexcept;

}  // namespace ovni::region
