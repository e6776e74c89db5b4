#include "base/manual.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/wrapped_text.hpp"

namespace ovni {

namespace {

constexpr OptionRow help_row = {"help", "h", "", "", "Print this help, or a topic of it: --help TOPIC."};
constexpr OptionRow version_row = {"version", "", "", "", "Print the version and how it was built."};

std::string spelled(const OptionRow& row) {
    std::string names = row.letter.empty() ? "" : fmt::format("-{}, ", row.letter);
    names += fmt::format("--{}", row.name);
    if (!row.value.empty()) names += fmt::format(" {}", row.value);
    return names;
}

std::string meaning(const OptionRow& row) {
    std::string text(row.text);
    if (!row.standard.empty()) text += fmt::format(" Default: {}.", row.standard);
    if (!row.variable.empty()) text += fmt::format(" [{}]", row.variable);
    return text;
}

std::string names_of_topics(const Manual& manual) {
    std::string names;
    for (const Topic* topic : manual.topics)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", topic->name);
    return names;
}

}  // namespace

std::string_view Topic::title() const {
    std::string_view line = text.substr(0, text.find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
    return line;
}

const OptionRow& help_option() {
    return help_row;
}

const OptionRow& version_option() {
    return version_row;
}

std::vector<std::string_view> alternatives(std::string_view value) {
    std::vector<std::string_view> found;
    while (!value.empty()) {
        found.push_back(value.substr(0, value.find('|')));
        value.remove_prefix(std::min(value.size(), found.back().size() + 1));
    }
    return found;
}

bool is_choice(std::string_view value) {
    return value.find('|') != value.npos &&
           std::ranges::none_of(value, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string help_text(const Manual& manual, size_t width) {
    std::string out = "usage: ";
    append_wrapped(out, manual.usage, out.size(), out.size(), width);
    out += "\n" + wrapped_markdown(manual.description, width) + "\nOptions:\n";
    for (const OptionRow& row : manual.options) append_row(out, spelled(row), meaning(row), width);
    for (const OptionRow* row : {&help_row, &version_row})
        append_row(out, spelled(*row), meaning(*row), width);
    if (!manual.lists.empty()) out += "\n" + wrapped_markdown(manual.lists, width);
    if (manual.topics.empty()) return out;
    out += "\nTopics:\n";
    for (const Topic* topic : manual.topics)
        append_row(out, fmt::format("--help {}", topic->name), topic->title(), width);
    return out;
}

std::string topic_text(const Manual& manual, std::string_view name, size_t width) {
    auto found = std::ranges::find(manual.topics, name, &Topic::name);
    if (found != manual.topics.end()) return wrapped_markdown((*found)->text, width);
    if (manual.topics.empty())
        throw UsageError(fmt::format("--help has no topic '{}': {} has none", name, manual.program));
    throw UsageError(fmt::format("--help has no topic '{}', but {}", name, names_of_topics(manual)));
}

size_t terminal_width() {
    constexpr size_t usual = 80, narrowest = 50;
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
    return std::max<size_t>(size.ws_col, narrowest);
}

}  // namespace ovni
