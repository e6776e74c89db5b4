#include "base/cli.hpp"

#include <iostream>

#include "base/error.hpp"

namespace ovni {

namespace po = boost::program_options;

namespace {

// An empty name is never meant: it comes from a variable of the shell that is not set.
void refuse_empty(const Cli& cli) {
    for (const auto& option : cli.options.options()) {
        const std::string& name = option->long_name();
        if (option->semantic()->max_tokens() == 0 || !cli.has(name)) continue;
        const auto* text = boost::any_cast<std::string>(&cli.values[name].value());
        if (text && text->empty()) throw UsageError("option --" + name + ": the value is empty (see --help)");
    }
    for (const std::string& word : cli.words)
        if (word.empty()) throw UsageError("one of the words is empty (see --help)");
}

}  // namespace

Parsed parse(Cli& cli, int argc, char** argv) {
    cli.options.add_options()("help,h", "print this and exit");
    po::options_description all;
    all.add(cli.options);
    all.add_options()("word", po::value<std::vector<std::string>>());
    po::positional_options_description words;
    words.add("word", -1);
    constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    try {
        po::store(po::command_line_parser(argc, argv).options(all).positional(words).style(style).run(),
                  cli.values);
        po::notify(cli.values);
    } catch (const po::error& e) {
        throw UsageError(std::string(e.what()) + " (see --help)");
    }
    if (cli.has("word")) cli.words = cli.get<std::vector<std::string>>("word");
    if (!cli.has("help")) {
        refuse_empty(cli);
        return Parsed::go_on;
    }
    std::cout << "usage: " << cli.usage << "\n" << cli.description << "\n" << cli.options;
    return Parsed::help_printed;
}

std::string only_word(const Cli& cli, const std::string& what) {
    if (cli.words.empty()) throw UsageError("missing " + what + " (see --help)");
    if (cli.words.size() > 1) throw UsageError("one " + what + " only, not also '" + cli.words[1] + "'");
    return cli.words.front();
}

}  // namespace ovni
