// The manual of a program: one row per option, a few paragraphs, topics. Help texts, man pages and
// completions are all made from it. Texts are Markdown with headings, paragraphs, items of lists and indented
// code; paragraphs are wrapped when they are printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ovni {

struct OptionRow {
    std::string_view name;    // without dashes
    std::string_view letter;  // the short name, or empty
    // The name of the value in help, or empty if the option takes none. Words in lower case are choices.
    std::string_view value;
    std::string_view variable;  // an environment variable that also sets it, or empty
    std::string_view text;
    std::string_view standard = {};  // the default value
};

// A page printed by --help NAME. Its first line is the title.
struct Topic {
    std::string_view name;
    std::string_view text;

    std::string_view title() const;
};

struct Manual {
    std::string_view program;
    std::string_view summary;  // one line, without a full stop
    std::string_view usage;    // the command line
    std::string_view words;    // the arguments that are no options, in the form of OptionRow::value
    std::string_view description;
    std::vector<OptionRow> options;
    std::string lists;  // printed after the options
    std::vector<const Topic*> topics;
};

// --help and --version, which every program has.
const OptionRow& help_option();
const OptionRow& version_option();

// True if the alternatives in `value` are the only allowed words: true for "0|1", false for "host|NAME".
bool is_choice(std::string_view value);
// "host|rank|NAME": host, rank, NAME.
std::vector<std::string_view> alternatives(std::string_view value);

// The text of --help; the text of --help NAME, which throws UsageError if there is no such topic.
std::string help_text(const Manual& manual, size_t width);
std::string topic_text(const Manual& manual, std::string_view name, size_t width);
// The text that scripts/generate_manuals.py reads.
std::string manual_as_json(const Manual& manual);

// Columns of the terminal that is stdout, or 80.
size_t terminal_width();

}  // namespace ovni
