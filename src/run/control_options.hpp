// Options of ovnirun for the region controller: chains in all their spellings, and what is checked of them
// before the program starts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "region/option_words.hpp"

namespace ovni::run {

class ControlOptions {
 public:
    // How many of the words are the controller's: 0, 1 or 2. Throws UsageError.
    size_t take(char** words);
    // After the last option: what the libraries get by the environment. Throws UsageError.
    std::vector<std::pair<std::string, std::string>> environment() const;

 private:
    region::OptionWords words_;
};

// "-control-scope" and the like, with any dash, as an option with two; others as they are.
std::string with_two_dashes(std::string_view word);
bool begins_with_dash(std::string_view word);

// The value of an option, or of its variable, both called `name`. Throws UsageError.
void check_chains(std::string_view name, std::string_view chains);
void check_ranks(std::string_view name, std::string_view ranks);

// What is accepted of the chains that the program will get, but is not as it should be.
void print_warnings_about_chains();

}  // namespace ovni::run
