// A directory for one test, removed with everything in it at the end.
#pragma once

#include <filesystem>

namespace ovni::test {

class TemporaryDirectory {
 public:
    explicit TemporaryDirectory(const std::filesystem::path& parent = std::filesystem::temp_directory_path());
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace ovni::test
