// The one exception of the tools: thrown where a fault is seen, caught only in run_main, which prints
//     tool: path:offset: what
// and returns the exit status: 1, or 2 for a mistake on the command line.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace ovni {

// The usual form of a path from name_of_open(); other paths unchanged.
std::string usual_name(std::string path);

// `offset`: bytes from the beginning of the file `path`.
class Error : public std::exception {
 public:
    explicit Error(std::string cause_of_it, std::string in_path = {}, std::optional<uint64_t> at_offset = {})
        : cause(std::move(cause_of_it)), path(usual_name(std::move(in_path))), offset(at_offset) {
        text_ = path.empty() ? cause
                : offset     ? fmt::format("{}:{}: {}", path, *offset, cause)
                             : fmt::format("{}: {}", path, cause);
    }
    const char* what() const noexcept override { return text_.c_str(); }

    std::string cause;
    std::string path;
    std::optional<uint64_t> offset;

 private:
    std::string text_;
};

// A mistake on the command line: exit status 2.
class UsageError : public Error {
 public:
    using Error::Error;
};

// An Error that ends with the text of errno.
Error system_error(std::string what, std::string path, std::optional<uint64_t> offset = {});

// Runs `body`, whose result is the exit status. Prints an exception on stderr as "tool: what".
int run_main(const char* tool, const std::function<int()>& body);

}  // namespace ovni
