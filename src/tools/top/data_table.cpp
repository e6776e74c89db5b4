#include "tools/top/data_table.hpp"

#include <fmt/format.h>

#include <array>
#include <type_traits>

namespace ovni {

namespace {

std::string in_seconds(const Cell& nanoseconds, int digits) {
    constexpr double in_second = 1e9;
    return fmt::format("{:.{}f}", nanoseconds.number() / in_second, digits);
}

}  // namespace

double Cell::number() const {
    return std::visit(
        [](const auto& value) -> double {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
                return static_cast<double>(value);
            else
                return 0;
        },
        value_);
}

std::string text_of(const Cell& cell) {
    return std::visit(
        [](const auto& value) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                return "";
            else
                return fmt::format("{}", value);
        },
        cell.value());
}

std::string as_is(const Cell& cell) {
    return text_of(cell);
}
std::string as_seconds(const Cell& nanoseconds) {
    return in_seconds(nanoseconds, 6);
}
std::string as_exact_seconds(const Cell& nanoseconds) {
    return in_seconds(nanoseconds, 9);
}
std::string as_percent(const Cell& percent) {
    return fmt::format("{:.1f}", percent.number());
}
std::string as_ratio(const Cell& ratio) {
    return fmt::format("{:.3f}", ratio.number());
}
std::string as_rate(const Cell& rate) {
    return fmt::format("{:.2f}", rate.number());
}

std::string as_short_bytes(const Cell& bytes) {
    constexpr std::array<char, 7> units = {' ', 'k', 'M', 'G', 'T', 'P', 'E'};
    constexpr double thousand = 1000;
    double number = bytes.number();
    size_t unit = 0;
    for (; number >= thousand && unit + 1 < units.size(); ++unit) number /= thousand;
    if (unit == 0) return text_of(bytes);
    constexpr double ten = 10, hundred = 100;
    return fmt::format("{:.{}f}{}", number, number < ten ? 2 : number < hundred ? 1 : 0, units[unit]);
}

DataColumn text_column(std::string name, std::string heading, size_t width, size_t gap) {
    return {
        std::move(name),
        {.heading = std::move(heading), .width = width, .side = DataColumn::Text::Side::left, .gap = gap}};
}
DataColumn number_column(std::string name, std::string heading, size_t width) {
    return {std::move(name), {.heading = std::move(heading), .width = width}};
}
DataColumn time_column(std::string name, std::string heading, size_t width) {
    return {std::move(name), {.heading = std::move(heading), .width = width, .form = as_seconds}};
}
DataColumn ratio_column(std::string name, std::string heading, size_t width) {
    return {std::move(name), {.heading = std::move(heading), .width = width, .form = as_ratio}};
}
DataColumn share_column(std::string name) {
    constexpr size_t width = 6;
    return {std::move(name), {.heading = "%", .width = width, .form = as_percent, .empty = "-"}};
}
DataColumn data_column(std::string name) {
    return {std::move(name), {.is_shown = false}};
}

Cell share(WideSum part, WideSum whole) {
    constexpr double percent = 100;
    if (whole.number() == 0) return {};
    return percent * static_cast<double>(part.number()) / static_cast<double>(whole.number());
}

void hide_text(DataTable& table) {
    table.form = DataTable::Form::left_out;
    table.before.clear();
}

}  // namespace ovni
