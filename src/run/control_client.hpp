// Asks processes by their control sockets, all at the same time.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace ovni::run {

struct Answer {
    enum class From {
        process,  // the text is its reply
        nobody,   // the process is dead, and the socket was left behind
        silence,  // not in time
        system    // the text is what went wrong
    };
    From from = From::silence;
    std::string text;
};

// Answers in the order of the sockets, after `timeout` at the latest.
std::vector<Answer> ask(const std::vector<std::filesystem::path>& sockets, const std::string& request,
                        std::chrono::milliseconds timeout);

}  // namespace ovni::run
