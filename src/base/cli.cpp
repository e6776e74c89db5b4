#include "base/cli.hpp"

#include <iostream>

#include "base/error.hpp"

namespace ovni {

namespace po = boost::program_options;

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
    if (!cli.has("help")) return Parsed::go_on;
    std::cout << "usage: " << cli.usage << "\n" << cli.description << "\n" << cli.options;
    return Parsed::help_printed;
}

std::string only_word(const Cli& cli, const std::string& what) {
    if (cli.words.empty()) throw UsageError("missing " + what + " (see --help)");
    if (cli.words.size() > 1) throw UsageError("one " + what + " only, not also '" + cli.words[1] + "'");
    return cli.words.front();
}

}  // namespace ovni
