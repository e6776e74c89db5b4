#include "sink/paraver/pcf.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "base/printable.hpp"

namespace ovni {

namespace {

constexpr ExtraColor base_colors[] = {
    {0, 0, 0, 0},        {1, 0, 130, 200},    {2, 217, 217, 217}, {3, 230, 25, 75},    {4, 60, 180, 75},
    {5, 255, 225, 25},   {6, 245, 130, 48},   {7, 145, 30, 180},  {8, 70, 240, 240},   {9, 240, 50, 230},
    {10, 210, 245, 60},  {11, 250, 190, 212}, {12, 0, 128, 128},  {13, 128, 128, 128}, {14, 220, 190, 255},
    {15, 170, 110, 40},  {16, 255, 250, 200}, {17, 128, 0, 0},    {18, 170, 255, 195}, {19, 128, 128, 0},
    {20, 255, 215, 180}, {21, 0, 0, 128},     {22, 0, 0, 255},
};

void add_colors(std::string& text, std::span<const ExtraColor> colors) {
    for (const ExtraColor& c : colors)
        fmt::format_to(std::back_inserter(text), "{:<3} {{{:3}, {:3}, {:3}}}\n", c.value, c.red, c.green,
                       c.blue);
}

void add_type(std::string& text, const EventType& type) {
    fmt::format_to(std::back_inserter(text), "\n\nEVENT_TYPE\n0 {:<10} {}\nVALUES\n", type.shown(),
                   one_line(type.title));
    for (const auto& [value, label] : type.labels.all())
        fmt::format_to(std::back_inserter(text), "{:<4} {}\n", static_cast<int32_t>(value), one_line(label));
}

}  // namespace

std::string pcf_text(const FileSchema& schema) {
    std::string text(pcf_options);
    text += "STATES_COLOR\n";
    add_colors(text, base_colors);
    add_colors(text, schema.colors);
    for (const EventType& type : schema.types)
        if (type.is_in_pcf) add_type(text, type);
    for (const EventType& type : schema.types_of_expansions) add_type(text, type);
    return text;
}

}  // namespace ovni
