// What the tests of the sinks share: a directory of their own, and the records of a small example.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "emu/record.hpp"
#include "emu/schema.hpp"

namespace ovni {

inline constexpr uint32_t none = Record::no_row;

inline Record line(int64_t time, uint16_t type, int64_t value, uint32_t thread_row, uint32_t cpu_row = none) {
    Record record;
    record.time = time;
    record.type = type;
    record.value = value;
    record.thread_row = thread_row;
    record.cpu_row = cpu_row;
    return record;
}

class SinkTest : public testing::Test {
 protected:
    SinkTest() {
        std::string pattern = testing::TempDir() + "ovni-sink-XXXXXX";
        directory = ::mkdtemp(pattern.data());
    }
    ~SinkTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(directory, ignored);
    }
    SinkTest(const SinkTest&) = delete;

    // Names of what is in the directory, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(directory))
            found.push_back(entry.path().filename());
        std::sort(found.begin(), found.end());
        return found;
    }
    std::string text(const std::string& name) const { return read_file(directory / name); }

    std::filesystem::path directory;
};

}  // namespace ovni
