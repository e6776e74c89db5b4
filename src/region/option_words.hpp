// The region controller's words on a command line, with one dash, two, or an en dash:
//
//     -control CHAIN    -skip N    -length M    -uniform-skip S -uniform-period P -uniform-length L
//     -uniform-count C -controller-default-start 0|1    -controller-log 0|1    -controller-olog FILE
//     -pinplay-control 0|1
//
// A value is the next word, or follows '='. A word may have _ instead of -, and log: before it. All except
// the first are an older spelling, and are translated to chains. The last is ignored: it concerns a recorder
// that does not exist here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "region/chain_text.hpp"

namespace ovni::region {

enum class Choice : uint8_t { no, yes };

// The option of the list above that `spelled` means, without leading dashes; empty if it is none of them.
// `spelled` has no leading dashes either.
std::string_view option_word(std::string_view spelled) noexcept;

class OptionWords {
 public:
    // Takes one or two words from the front and returns their number; 0 if the first is no word of the
    // controller. Sets `fault` if its value is missing or wrong.
    size_t take(std::span<const std::string_view> words, Fault& fault) noexcept;

    // Call after the last word. Sets `chains` to all chains, those from older spellings last.
    Fault finish(std::vector<std::string>& chains) const noexcept;

    Choice default_start() const noexcept { return default_start_; }
    Choice log() const noexcept { return log_.value_or(log_file_.empty() ? Choice::no : Choice::yes); }
    const std::string& log_file() const noexcept { return log_file_; }
    // True if the words set the default start.
    bool has_default_start() const noexcept { return has_default_start_; }
    bool has_log() const noexcept { return log_.has_value() || !log_file_.empty(); }

 private:
    Fault set(std::string_view name, std::string_view value) noexcept;

    std::vector<std::string> chains_;
    std::optional<uint64_t> skip_, length_;
    std::optional<uint64_t> uniform_skip_, uniform_period_, uniform_length_, uniform_count_;
    Choice default_start_ = Choice::yes;
    bool has_default_start_ = false;
    std::optional<Choice> log_;  // empty: there is a log if a file is named
    std::string log_file_;
};

}  // namespace ovni::region
