// Sends a request to the control sockets of several processes in parallel.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace ovni::run {

struct Answer {
    enum class From {
        process,  // the text is the reply of the process
        nobody,   // the process is dead, and the socket was left behind
        silence,  // no reply in time
        system    // a system call failed; the text describes the error
    };
    From from = From::silence;
    std::string text;
};

// Answers in the order of the sockets, after `timeout` at the latest.
std::vector<Answer> ask(const std::vector<std::filesystem::path>& sockets, const std::string& request,
                        std::chrono::milliseconds timeout);

}  // namespace ovni::run
