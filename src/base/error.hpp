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

class Error : public std::exception {
 public:
    explicit Error(std::string what) : Error(std::move(what), {}, std::nullopt) {}
    Error(std::string what, std::string path) : Error(std::move(what), std::move(path), std::nullopt) {}
    // `offset` in bytes from the beginning of the file `path`.
    Error(std::string what, std::string path, std::optional<uint64_t> offset)
        : cause(std::move(what)), path(std::move(path)), offset(offset) {
        text_ = this->path.empty() ? cause
                : this->offset     ? fmt::format("{}:{}: {}", this->path, *this->offset, cause)
                                   : fmt::format("{}: {}", this->path, cause);
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

// Error with the text of errno behind it.
Error system_error(std::string what, std::string path);

// Runs `body`, whose result is the exit status; prints what it throws on stderr as "tool: what".
int run_main(const char* tool, const std::function<int()>& body);

}  // namespace ovni
