// A program that prints what its problem costs, and what the report says first of it.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/support/process.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {

// The lines that the ranks of such a program print.
struct PlantedProblem {
    explicit PlantedProblem(const std::string& printed) {
        std::istringstream text(printed);
        for (std::string line; std::getline(text, line);) {
            if (!line.starts_with("{")) continue;
            const auto facts = nlohmann::json::parse(line);
            ++ranks;
            lost += facts["lost"].get<double>();
            ran = std::max(ran, facts["ran"].get<double>());
            lines.insert(facts["line"].get<int>());
            messages += facts.value("messages", 0L);
            if (facts["to_blame"]) hosts_to_blame.insert(facts.value("host", ""));
        }
    }
    // The share of the time of all threads that is lost.
    double share(int threads) const { return lost / (ran * ranks * threads); }

    int ranks = 0;
    double lost = 0, ran = 0;  // seconds
    long messages = 0;
    std::set<int> lines;
    std::set<std::string> hosts_to_blame;
};

// The first two sentences of the report, without those on other programs: tests may run side by side.
inline Words first_sentences(const std::string& trace, const std::string& report) {
    const Finished emulated = run({program("ovniemu"), "--report", report, "-o", report + ".out", trace});
    EXPECT_EQ(emulated.status, 0) << emulated.err;
    Words sentences = nlohmann::json::parse(read_file(report))["in_short"];
    std::erase_if(sentences, [](const std::string& one) { return one.starts_with("Other programs took"); });
    sentences.resize(std::min<size_t>(sentences.size(), 2));
    return sentences;
}

// The first percentage of a sentence, as a fraction; -1: none.
inline double cost_in(const std::string& sentence) {
    std::smatch found;
    return std::regex_search(sentence, found, std::regex("([0-9]+) %")) ? std::stod(found[1]) / 100 : -1;
}

// Nothing if one of the sentences contains the expression, and with it a cost near to that; else what is
// wrong.
inline std::string fault_in(const Words& sentences, const std::string& expression, double cost) {
    constexpr double tolerance = 0.05;  // of the run
    const std::regex expected(expression);
    const auto found = std::ranges::find_if(
        sentences, [&](const std::string& sentence) { return std::regex_search(sentence, expected); });
    if (found == sentences.end()) return expression + " is in none of " + testing::PrintToString(sentences);
    if (std::abs(cost_in(*found) - cost) <= tolerance) return "";
    return *found + " should say " + std::to_string(cost);
}

// Expects that one of the sentences names one of the lines of that source.
inline void expect_line(const Words& sentences, const std::string& source, const std::set<int>& lines) {
    std::string either;
    for (int line : lines) either += (either.empty() ? "" : "|") + std::to_string(line);
    EXPECT_THAT(sentences, testing::Contains(testing::ContainsRegex(source + ":(" + either + ")([^0-9]|$)")));
}

}  // namespace ovni::test
