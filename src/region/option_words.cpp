#include "region/option_words.hpp"

#include <algorithm>
#include <array>

namespace ovni::region {

namespace {

constexpr std::array<std::string_view, 11> names = {"control",        "skip",
                                                    "length",         "uniform-skip",
                                                    "uniform-period", "uniform-length",
                                                    "uniform-count",  "controller-default-start",
                                                    "controller-log", "controller-olog",
                                                    "pinplay-control"};
// Tools that record under this prefix have the same words.
constexpr std::string_view prefix_of_loggers = "log:";

// The word without its dashes; empty if it has none.
std::string_view bare(std::string_view word) {
    for (std::string_view dash : {"--", "-", "\xe2\x80\x93"})
        if (word.starts_with(dash)) return word.substr(dash.size());
    return {};
}

Error wrong(std::string_view word, std::string_view value, std::string what) {
    size_t offset = value.data() >= word.data() && value.data() <= word.data() + word.size()
                        ? static_cast<size_t>(value.data() - word.data())
                        : 0;
    return {std::move(what), std::string(word), offset};
}

std::string number_text(uint64_t number) {
    return std::to_string(number);
}

}  // namespace

std::string_view option_word(std::string_view spelled) noexcept {
    if (spelled.starts_with(prefix_of_loggers)) spelled.remove_prefix(prefix_of_loggers.size());
    const auto is_same = [](char a, char b) { return a == (b == '_' ? '-' : b); };
    const auto* found = std::ranges::find_if(
        names, [&](std::string_view name) { return std::ranges::equal(name, spelled, is_same); });
    return found == names.end() ? std::string_view() : *found;
}

size_t OptionWords::take(std::span<const std::string_view> words, Fault& fault) noexcept {
    if (words.empty()) return 0;
    std::string_view word = bare(words[0]);
    size_t equals = std::min(word.find('='), word.size());
    std::string_view name = option_word(word.substr(0, equals));
    if (name.empty()) return 0;
    bool is_joined = equals < word.size();
    if (!is_joined && words.size() < 2) {
        fault = wrong(words[0], {}, std::string(name) + " needs a value");
        return 1;
    }
    std::string_view value = is_joined ? word.substr(equals + 1) : words[1];
    fault = set(name, value);
    if (fault) fault = wrong(is_joined ? words[0] : value, value, fault->what);
    return is_joined ? 1 : 2;
}

Fault OptionWords::set(std::string_view name, std::string_view value) noexcept {
    struct NumberRow {
        std::string_view name;
        std::optional<uint64_t>& number;
    };
    const std::array<NumberRow, 6> numbers = {{{"skip", skip_},
                                               {"length", length_},
                                               {"uniform-skip", uniform_skip_},
                                               {"uniform-period", uniform_period_},
                                               {"uniform-length", uniform_length_},
                                               {"uniform-count", uniform_count_}}};
    for (const NumberRow& row : numbers) {
        if (name != row.name) continue;
        uint64_t number = 0;
        if (read_number(value, number) != Number::good)
            return Error{std::string(name) + ": not a number: '" + std::string(value) + "'", {}, 0};
        row.number = number;
        return {};
    }
    if (name == "control") {
        chains_.emplace_back(value);
        return {};
    }
    if (name == "controller-olog") {
        log_file_ = value;
        return {};
    }
    if (value != "0" && value != "1") return Error{std::string(name) + " is 0 or 1", {}, 0};
    Choice choice = value == "1" ? Choice::yes : Choice::no;
    if (name == "controller-log") {
        log_ = choice;
    } else if (name == "controller-default-start") {
        default_start_ = choice;
        has_default_start_ = true;
    }
    return {};
}

// 0 skips nothing: then recording begins at once, by the default start.
Fault OptionWords::finish(std::vector<std::string>& chains) const noexcept {
    chains.insert(chains.end(), chains_.begin(), chains_.end());
    std::string plain;
    if (skip_.value_or(0) > 0) plain = "start:icount:" + number_text(*skip_);
    if (length_) plain += (plain.empty() ? "stop:icount:" : ",stop:icount:") + number_text(*length_);
    if (!plain.empty()) chains.push_back(plain);
    if (!uniform_skip_ && !uniform_period_ && !uniform_length_ && !uniform_count_) return {};
    if (!uniform_period_ || !uniform_length_ || !uniform_count_)
        return Error{"uniform-period, uniform-length and uniform-count belong together", {}, 0};
    std::string uniform = "uniform:" + number_text(*uniform_period_) + ":" + number_text(*uniform_length_) +
                          ":" + number_text(*uniform_count_);
    if (uniform_skip_.value_or(0) > 0)
        uniform.insert(0, "precond:icount:" + number_text(*uniform_skip_) + ",");
    chains.push_back(uniform);
    return {};
}

}  // namespace ovni::region
