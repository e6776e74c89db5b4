// The common part of the tests of the sinks: a directory of their own, and the records of a small example.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"
#include "tests/support/temporary_directory.hpp"

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
    // Names of what is in the directory, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(directory))
            found.push_back(entry.path().filename());
        std::sort(found.begin(), found.end());
        return found;
    }
    std::string text(const std::string& name) const { return read_file(directory / name); }

    test::TemporaryDirectory temporary_;
    const std::filesystem::path directory = temporary_.path();
};

}  // namespace ovni
