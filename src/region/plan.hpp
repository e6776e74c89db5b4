// All chains of a process, checked together: names, who waits for whom, what there is at most once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "region/alarm.hpp"
#include "region/chain_text.hpp"

namespace ovni::region {

inline constexpr size_t most_alarms = 128;  // of all chains

// Whether every thread begins with a start of its own, which no chain fires.
enum class DefaultStart : uint8_t { off, on };

struct Plan {
    std::vector<Chain> chains;
    std::vector<std::vector<size_t>> waiters;  // of each chain, those that its end arms
    std::vector<std::string> warnings;

    // The rule that says whether recording is on at the beginning. It is off if a chain starts it later.
    bool begins_recording(DefaultStart default_start) const noexcept;
};

// `chains`: as --control had them. A fault shows the place in its chain.
Fault make_plan(std::span<const std::string> chains, std::span<const std::string_view> mpi_functions,
                Plan& plan) noexcept;

// The chains of OVNI_CONTROL, which stand with ';' between them; one in quotes or escaped separates nothing.
Fault split_chains(std::string_view text, std::vector<std::string>& chains) noexcept;

// The reverse, so that split_chains() finds them all.
std::string join_chains(std::span<const std::string> chains) noexcept;

// An alarm as the user wrote it; control characters become '?'.
std::string text_of(const Chain& chain, const Alarm& alarm) noexcept;

// The first alarm that nothing in the library can hit yet, and so the sentence to refuse the plan with.
Fault find_missing_back_end(const Plan& plan) noexcept;

}  // namespace ovni::region
