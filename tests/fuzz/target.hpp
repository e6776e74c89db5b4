// Support of the targets in targets/: an input as the files of a trace, and the ends that are good ones. A
// target takes any input, in a process of its own, and ends with success or an Error. Everything else is a
// crash.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::fuzz {

// The one function of a target.
void take(std::string_view input);

// The line between the files of one input.
inline constexpr std::string_view separator = "\n====\n";

// The files of an input, at most `most`; the last has the rest.
inline std::vector<std::string_view> files_of(std::string_view input, size_t most) {
    std::vector<std::string_view> files;
    for (size_t end = 0; files.size() + 1 < most; input.remove_prefix(end + separator.size())) {
        end = input.find(separator);
        if (end == input.npos) break;
        files.push_back(input.substr(0, end));
    }
    files.push_back(input);
    return files;
}

// Runs the work and returns true if it ends, false if it ends with an Error.
template <class Work>
bool ends(Work work) {
    try {
        work();
        return true;
    } catch (const Error&) {
        return false;
    }
}

// The process aborts, as at any other fault, if what must hold does not.
inline void require(bool holds) {
    if (!holds) std::abort();
}

inline std::filesystem::path memory() {
    const std::filesystem::path shared_memory = "/dev/shm";
    std::error_code none;
    return std::filesystem::is_directory(shared_memory, none) ? shared_memory
                                                              : std::filesystem::temp_directory_path();
}

// A trace in memory, and no word about it on stderr.
class TraceInMemory {
 public:
    const std::filesystem::path& path() const { return directory_.path(); }
    void put(const std::string& name, std::string_view content) const {
        const std::filesystem::path file = path() / name;
        if (!std::filesystem::exists(file)) std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    }
    void remove(const std::string& name) const { std::filesystem::remove(path() / name); }

 private:
    test::TemporaryDirectory directory_{memory()};
    log::Silence silence_;
};

}  // namespace ovni::fuzz
