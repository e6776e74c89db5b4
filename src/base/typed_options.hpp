// Options of a program as a table: each row says how its value is read, where it goes, and which other option
// it needs.
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
    // Reads a value that was given, or the standard of the row; "" for an option that takes none. Throws
    // UsageError.
    void (*take)(Options& options, const std::string& value);
    std::string_view needs = {};  // the name of an option that has to be given as well
    std::string_view why = {};
};

template <auto member>
struct OwnerOf;
template <class Options, class Value, Value Options::*member>
struct OwnerOf<member> {
    using type = Options;
};

// For `take`. The value is a text, or a path.
template <auto member>
void store(typename OwnerOf<member>::type& options, const std::string& value) {
    options.*member = value;
}
// The value is what parse(text) makes of it.
template <auto member, auto parse>
void store_parsed(typename OwnerOf<member>::type& options, const std::string& value) {
    options.*member = parse(value);
}
// The option takes no value.
template <auto member, auto constant>
void choose(typename OwnerOf<member>::type& options, const std::string& /*value*/) {
    options.*member = constant;
}

// The number of an option. Throws UsageError if the text is none, or out of range.
template <class Number>
Number number_of(std::string_view option, std::string_view text, Number least,
                 Number most = std::numeric_limits<Number>::max()) {
    const std::optional<Number> number = parse_number<Number>(text);
    if (number && *number >= least && *number <= most) return *number;
    const bool is_open = most == std::numeric_limits<Number>::max();
    throw UsageError(fmt::format("{} is a number from {} {}, not '{}' (see --help)", option, least,
                                 is_open ? "on" : fmt::format("to {}", most), text));
}

// Adds the rows to those of a manual.
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

// Reads the options of the command line that are in these rows, in their order. Throws UsageError.
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
