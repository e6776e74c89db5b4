// The options of a program as a table: each row has how its value is read, where it is stored, and which
// other option it needs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/manual.hpp"
#include "core/parse_number.hpp"

namespace ovni {

template <class Options>
struct TypedOption {
    OptionRow row;
    // Stores the given value, or the row's default; "" for an option without a value. Throws UsageError.
    void (*take)(Options& options, const std::string& value);
    std::string_view needs = {};  // the name of an option that must be given, too
    std::string_view why = {};
};

template <auto member>
struct OwnerOf;
template <class Options, class Value, Value Options::*member>
struct OwnerOf<member> {
    using type = Options;
};

// For `take`: stores the text, or path.
template <auto member>
void store(typename OwnerOf<member>::type& options, const std::string& value) {
    options.*member = value;
}
// For `take`: stores parse(text).
template <auto member, auto parse>
void store_parsed(typename OwnerOf<member>::type& options, const std::string& value) {
    options.*member = parse(value);
}
// For `take`: stores a constant, if the option takes no value.
template <auto member, auto constant>
void choose(typename OwnerOf<member>::type& options, const std::string& /*value*/) {
    options.*member = constant;
}

// The number in an option's text. Throws UsageError if it is no number, or out of range.
template <class Number>
Number number_of(std::string_view option, std::string_view text, Number least,
                 Number most = std::numeric_limits<Number>::max()) {
    const std::optional<Number> number = parse_number<Number>(text);
    if (number && *number >= least && *number <= most) return *number;
    const bool is_open = most == std::numeric_limits<Number>::max();
    throw UsageError(fmt::format("{} is a number from {} {}, not '{}' (see --help)", option, least,
                                 is_open ? "on" : fmt::format("to {}", most), text));
}

// Adds the rows to a manual.
template <class Rows>
void append_rows(std::vector<OptionRow>& manual, const Rows& options) {
    std::ranges::transform(options, std::back_inserter(manual),
                           [](const auto& option) { return option.row; });
}

// "-o" or "--output".
inline std::string short_name(const Manual& manual, std::string_view name) {
    const auto row = std::ranges::find(manual.options, name, &OptionRow::name);
    const bool has_letter = row != manual.options.end() && !row->letter.empty();
    return has_letter ? fmt::format("-{}", row->letter) : fmt::format("--{}", name);
}

// Reads the command line's options that have a row, in the order of the rows. Throws UsageError.
template <class Options>
void take_options(std::type_identity_t<std::span<const TypedOption<Options>>> rows, const Cli& cli,
                  Options& options) {
    for (const TypedOption<Options>& option : rows) {
        const std::string name(option.row.name);
        if (!cli.has(name)) continue;
        if (!option.needs.empty() && !cli.has(std::string(option.needs)))
            throw UsageError(
                fmt::format("--{} needs {}: {}", name, short_name(cli.manual, option.needs), option.why));
        option.take(options, option.row.value.empty() ? "" : cli.get(name));
    }
}

}  // namespace ovni
