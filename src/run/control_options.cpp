#include "run/control_options.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "code/known_instructions.hpp"
#include "mpi_function_choices.hpp"
#include "region/control_settings.hpp"
#include "region/plan.hpp"
#include "run/misspellings.hpp"

namespace ovni::run {

namespace {

using region::Fault;

constexpr std::string_view en_dash = "\xe2\x80\x93";
constexpr std::string_view usual_log = "control.log";

// The sentence, the text, and a mark below the culprit.
[[noreturn]] void refuse(std::string_view name, region::Error error) {
    error.what += proposal_for(error);
    if (error.text.empty()) throw UsageError(fmt::format("{}: {}", name, error.what));
    std::string text = error.text;
    for (char& c : text)
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
    throw UsageError(fmt::format("{}: {}\n    {}\n    {:>{}}", name, error.what, text, '^', error.column()));
}

void refuse_if(std::string_view name, const Fault& fault) {
    if (fault) refuse(name, *fault);
}

Fault plan_of(std::span<const std::string> chains, region::Plan& plan) {
    std::vector<std::string_view> functions;
    for (const MpiFunctionChoice& function : mpi_function_choices) functions.push_back(function.name);
    const region::KnownNames known{functions, code::known_extensions(), code::known_categories()};
    if (Fault fault = region::make_plan(chains, known, plan)) return fault;
    using enum region::CodeLibrary;
    return region::find_missing_back_end(plan, has_code_library() ? present : absent);
}

}  // namespace

bool begins_with_dash(std::string_view word) {
    return word.starts_with('-') || word.starts_with(en_dash);
}

std::string with_two_dashes(std::string_view word) {
    for (std::string_view dash : {std::string_view("--"), std::string_view("-"), en_dash})
        if (word.starts_with(dash) && word.substr(dash.size()).starts_with("control-"))
            return "--" + std::string(word.substr(dash.size()));
    return std::string(word);
}

size_t ControlPrefix::take(char** words) {
    constexpr std::string_view option = "--control-prefix";
    const std::string word = with_two_dashes(words[0]);
    if (word != option && !word.starts_with(std::string(option) + "=")) return 0;
    const bool is_joined = word != option;
    if (!is_joined && !words[1]) throw UsageError("--control-prefix needs a value");
    prefix_ = is_joined ? word.substr(option.size() + 1) : std::string(words[1]);
    return is_joined ? 1 : 2;
}

void ControlPrefix::remove_from(char* word) {
    const std::string_view given = word;
    for (std::string_view dash : {std::string_view("--"), std::string_view("-"), en_dash}) {
        if (prefix_.empty() || !given.starts_with(dash) || !given.substr(dash.size()).starts_with(prefix_))
            continue;
        const std::string_view rest = given.substr(dash.size() + prefix_.size());
        if (!rest.starts_with("control-") && region::option_word(rest.substr(0, rest.find('='))).empty())
            continue;
        // Not longer than before: the prefix has a byte or more, and so has the dash.
        const std::string without = "--" + std::string(rest);
        std::memset(word, 0, given.size());
        std::memcpy(word, without.data(), without.size());
        return;
    }
}

size_t ControlOptions::take(char** words) {
    std::vector<std::string_view> next{words[0]};
    if (words[1]) next.emplace_back(words[1]);
    Fault fault;
    size_t taken = words_.take(next, fault);
    refuse_if(words[0], fault);
    return taken;
}

std::vector<std::pair<std::string, std::string>> ControlOptions::environment() const {
    std::vector<std::pair<std::string, std::string>> set;
    std::vector<std::string> chains;
    refuse_if("options of the controller", words_.finish(chains));
    if (!chains.empty()) {
        region::Plan plan;
        refuse_if("--control", plan_of(chains, plan));
        set.emplace_back("OVNI_CONTROL", region::join_chains(chains));
    }
    if (words_.has_default_start())
        set.emplace_back("OVNI_CONTROL_DEFAULT_START",
                         words_.default_start() == region::Choice::yes ? "1" : "0");
    if (words_.has_log()) {
        std::string file = words_.log_file().empty() ? std::string(usual_log) : words_.log_file();
        set.emplace_back("OVNI_CONTROL_LOG", words_.log() == region::Choice::yes ? file : "");
    }
    return set;
}

void check_chains(std::string_view name, std::string_view chains) {
    std::vector<std::string> texts;
    region::Plan plan;
    refuse_if(name, region::split_chains(chains, texts));
    refuse_if(name, plan_of(texts, plan));
}

void check_ranks(std::string_view name, std::string_view ranks) {
    region::RankList list;
    refuse_if(name, region::RankList::parse(ranks, list));
}

// Empty if there are none, or if they cannot be understood.
static region::Plan plan_of_environment() {
    const char* chains = std::getenv("OVNI_CONTROL");
    std::vector<std::string> texts;
    region::Plan plan;
    if (!chains || !*chains || region::split_chains(chains, texts) || plan_of(texts, plan)) return {};
    return plan;
}

Libraries libraries_for_chains() {
    const region::Plan plan = plan_of_environment();
    return {!plan.chains.empty(), region::waits_for_code(plan), region::has_fixed_address(plan)};
}

void print_warnings_about_chains() {
    for (const std::string& warning : plan_of_environment().warnings)
        std::fputs(fmt::format("ovnirun: {}\n", warning).c_str(), stderr);
}

}  // namespace ovni::run
