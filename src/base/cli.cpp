#include "base/cli.hpp"

#include <iostream>
#include <optional>

#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/version.hpp"

namespace ovni {

namespace po = boost::program_options;

namespace {

constexpr const char* manual_option = "manual";
constexpr OptionRow quiet_row = {
    "quiet", "", "", "",
    "Print no INFO lines and no progress on stderr; warnings and errors stay, with what to do "
    "about them."};

po::options_description known_options(const Manual& manual) {
    po::options_description known;
    auto add = [&](const OptionRow& row) {
        std::string names(row.name);
        if (!row.letter.empty()) names.append(",").append(row.letter);
        if (row.value.empty()) {
            known.add_options()(names.c_str(), "");
            return;
        }
        auto* value = po::value<std::string>();
        if (!row.standard.empty()) value->default_value(std::string(row.standard));
        known.add_options()(names.c_str(), value);
    };
    for (const OptionRow& row : manual.options) add(row);
    add(help_option());
    add(version_option());
    known.add_options()(manual_option, "");
    known.add_options()("word", po::value<std::vector<std::string>>());
    return known;
}

std::vector<std::string> option_names(const Manual& manual) {
    std::vector<std::string> names{"--" + std::string(help_option().name),
                                   "--" + std::string(version_option().name)};
    for (const OptionRow& row : manual.options) names.push_back("--" + std::string(row.name));
    return names;
}

// "-j4" is -j as well.
std::string advice(const Cli& cli, const std::string& given) {
    for (const OptionElsewhere& option : cli.elsewhere) {
        const bool has_letter = !option.letter.empty() && given.starts_with("-" + option.letter);
        if (has_letter || given == "--" + option.name) return ": " + option.advice;
    }
    return proposal(given, option_names(cli.manual));
}

// "--help=TOPIC" is "--help TOPIC".
std::vector<std::string> separate_topic(int argc, char** argv) {
    static const std::string prefix = "--help=";
    std::vector<std::string> arguments;
    for (int i = 1; i < argc; ++i) {
        std::string argument = argv[i];
        if (argument.starts_with(prefix)) {
            arguments.emplace_back("--help");
            argument.erase(0, prefix.size());
        }
        arguments.push_back(argument);
    }
    return arguments;
}

// The word directly behind --help.
std::optional<std::string> topic_in(const po::parsed_options& parsed) {
    for (size_t i = 0; i + 1 < parsed.options.size(); ++i) {
        const po::option& next = parsed.options[i + 1];
        if (parsed.options[i].string_key == help_option().name && next.position_key >= 0)
            return next.value.front();
    }
    return std::nullopt;
}

// An empty name is never meant: it comes from a variable of the shell that is not set.
void refuse_empty(const Cli& cli) {
    for (const OptionRow& row : cli.manual.options) {
        std::string name(row.name);
        if (!row.value.empty() && cli.has(name) && cli.get(name).empty())
            throw UsageError("option --" + name + ": the value is empty (see --help)");
    }
    for (const std::string& word : cli.words)
        if (word.empty()) throw UsageError("one of the words is empty (see --help)");
}

// Empty if the program has to do its work.
std::string asked_for(const Cli& cli, const std::optional<std::string>& topic) {
    if (topic) return topic_text(cli.manual, *topic, terminal_width());
    if (cli.has(std::string(help_option().name))) return help_text(cli.manual, terminal_width());
    if (cli.has(std::string(version_option().name))) return version_text(cli.manual.program, cli.libraries);
    if (cli.has(manual_option)) return manual_as_json(cli.manual);
    return "";
}

}  // namespace

Parsed parse(Cli& cli, int argc, char** argv) {
    cli.manual.options.push_back(quiet_row);
    po::options_description known = known_options(cli.manual);
    po::positional_options_description words;
    words.add("word", -1);
    constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    std::optional<std::string> topic;
    try {
        po::parsed_options parsed = po::command_line_parser(separate_topic(argc, argv))
                                        .options(known)
                                        .positional(words)
                                        .style(style)
                                        .run();
        topic = topic_in(parsed);
        po::store(parsed, cli.values);
        po::notify(cli.values);
    } catch (const po::unknown_option& e) {
        throw UsageError(e.what() + advice(cli, e.get_option_name()) + " (see --help)");
    } catch (const po::error& e) {
        throw UsageError(std::string(e.what()) + " (see --help)");
    }
    std::string text = asked_for(cli, topic);
    if (!text.empty()) {
        std::cout << text;
        return Parsed::help_printed;
    }
    if (cli.has("word")) cli.words = cli.values["word"].as<std::vector<std::string>>();
    refuse_empty(cli);
    if (cli.has(std::string(quiet_row.name))) log::disable_info();
    return Parsed::go_on;
}

std::string only_word(const Cli& cli, const std::string& what) {
    if (cli.words.empty()) throw UsageError("missing " + what + " (see --help)");
    if (cli.words.size() > 1) throw UsageError("one " + what + " only, not also '" + cli.words[1] + "'");
    return cli.words.front();
}

}  // namespace ovni
