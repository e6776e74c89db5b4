// Options of ovnirun for the region controller: chains in all their spellings, checked before the program
// starts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "region/option_words.hpp"
#include "run/preload.hpp"

namespace ovni::run {

class ControlOptions {
 public:
    // Returns the number of words that belong to the controller: 0, 1 or 2. Throws UsageError.
    size_t take(char** words);
    // The variables for the libraries. Call after the last option. Throws UsageError.
    std::vector<std::pair<std::string, std::string>> environment() const;

 private:
    region::OptionWords words_;
};

// "-control-scope" and the like, with any dash, as an option with two dashes; other words as they are.
std::string with_two_dashes(std::string_view word);
bool begins_with_dash(std::string_view word);

// Handles --control-prefix, and strips the prefix from later words of the controller.
class ControlPrefix {
 public:
    // Returns the number of words that it takes: 0, 1 or 2. Throws UsageError.
    size_t take(char** words);
    // In place, because the command line is read again later.
    void remove_from(char* word);

 private:
    std::string prefix_;
};

// Checks the value of an option or variable called `name`. Throws UsageError.
void check_chains(std::string_view name, std::string_view chains);
void check_ranks(std::string_view name, std::string_view ranks);

// The libraries that the chains of OVNI_CONTROL need.
Libraries libraries_for_chains();

// Prints warnings about suspicious but valid chains.
void print_warnings_about_chains();

}  // namespace ovni::run
