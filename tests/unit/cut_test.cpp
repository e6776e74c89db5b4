#include "tests/unit/cut_test.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/file.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/system.hpp"

namespace ovni::test {

namespace fs = std::filesystem;

namespace {

constexpr int cpu_of_thread = 6, nosv_idle = 16, nanos6_idle = 40;  // types
constexpr int64_t dead = 3, resting = 101;
constexpr std::string_view virtual_cpu = " -1";

std::vector<std::string> names_of_rows(const fs::path& trace, const std::string& output) {
    Trace opened = Trace::open(trace);
    System system(opened);
    std::vector<std::string> names;
    if (output == "thread.prv")
        for (const ThreadInfo& thread : system.threads())
            names.push_back(opened.streams()[thread.stream].relative_path());
    else
        for (const CpuInfo& cpu : system.cpus())
            names.push_back(fmt::format("{} {}", system.looms()[cpu.loom].name, cpu.phyid));
    return names;
}

int64_t value_at(const std::map<int64_t, int64_t>& values, int64_t time) {
    auto later = values.upper_bound(time);
    return later == values.begin() ? 0 : std::prev(later)->second;
}

// A virtual CPU where a thread has been rests, and shows nothing before. In a part a thread that waits may
// have been there in the instant before it.
void rest_from_begin(const std::string& row, int type, std::map<int64_t, int64_t>& values) {
    bool is_idle = type == nosv_idle || type == nanos6_idle;
    if (!is_idle || !row.ends_with(virtual_cpu)) return;
    values.emplace(INT64_MIN, 0);
    for (auto& entry : values)
        if (entry.second == 0) entry.second = resting;
}

// From `from` on, counted from there, without what changes nothing.
std::map<int64_t, int64_t> changes(const std::map<int64_t, int64_t>& values, Part part) {
    std::map<int64_t, int64_t> found = {{0, value_at(values, part.from)}};
    int64_t last = found[0];
    for (auto at = values.upper_bound(part.from); at != values.end() && at->first < part.to; ++at) {
        if (at->second != last) found[at->first - part.from] = at->second;
        last = at->second;
    }
    return found;
}

}  // namespace

Finished CutTest::try_cut(const fs::path& trace, const std::string& name, std::vector<std::string> options) {
    std::vector<std::string> words{program("ovnicut"), trace, "-o", directory() / name};
    words.insert(words.end(), options.begin(), options.end());
    return run(words);
}

fs::path CutTest::cut(const fs::path& trace, const std::string& name, Part part,
                      std::vector<std::string> options) {
    options.insert(options.end(),
                   {"--from", fmt::format("{}ns", part.from), "--to", fmt::format("{}ns", part.to)});
    Finished done = try_cut(trace, name, options);
    EXPECT_EQ(done.status, 0) << done.err;
    return directory() / name;
}

Finished CutTest::emulate(const fs::path& trace, std::vector<std::string> options) {
    options.insert(options.begin(), program("ovniemu"));
    options.push_back(trace);
    return run(options);
}

void CutTest::expect_accepted(const fs::path& trace) {
    Finished done = emulate(trace);
    EXPECT_EQ(done.status, 0) << trace << ":\n" << done.err;
}

int64_t CutTest::first_clock(const fs::path& trace) {
    Trace opened = Trace::open(trace);
    ClockModel clocks = ClockModel::of_trace(opened, std::nullopt);
    int64_t first = std::numeric_limits<int64_t>::max();
    for (uint32_t s = 0; s < opened.streams().size(); ++s)
        if (auto clock = open_stream(opened, clocks, s).first_clock()) first = std::min(first, *clock);
    return first;
}

int64_t CutTest::length(const fs::path& trace) {
    Trace opened = Trace::open(trace);
    ClockModel clocks = ClockModel::of_trace(opened, std::nullopt);
    int64_t last = 0;
    for (uint32_t s = 0; s < opened.streams().size(); ++s)
        for (StreamReader reader = open_stream(opened, clocks, s); reader.next();)
            last = std::max(last, reader.event().clock);
    return last - first_clock(trace);
}

std::map<std::string, std::string> CutTest::files_of(const fs::path& trace) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(trace)) {
        std::string name = entry.path().filename(), relative = fs::relative(entry.path(), trace);
        bool is_input = name.starts_with("stream.") || name.starts_with("clock");
        if (entry.is_regular_file() && is_input) files[relative] = read_file(entry.path());
    }
    return files;
}

void CutTest::expect_same(const fs::path& one, const fs::path& other) {
    auto first = files_of(one), second = files_of(other);
    for (const auto& [name, bytes] : first) {
        ASSERT_TRUE(second.contains(name)) << name << " is in " << one << " only";
        EXPECT_TRUE(second[name] == bytes) << name << " differs between " << one << " and " << other;
    }
    EXPECT_EQ(first.size(), second.size());
}

States CutTest::states_of(const fs::path& trace, const std::string& output) {
    std::vector<std::string> names = names_of_rows(trace, output), cpus = names_of_rows(trace, "cpu.prv");
    std::ifstream in(trace / output);
    States states;
    std::string line;
    for (std::getline(in, line); std::getline(in, line);) {
        std::replace(line.begin(), line.end(), ':', ' ');
        std::istringstream fields(line);
        int64_t kind = 0, ignored = 0, row = 0, time = 0, type = 0, value = 0;
        fields >> kind >> ignored >> ignored >> ignored >> row >> time >> type >> value;
        EXPECT_EQ(kind, 2) << line;
        // The number of a CPU is that of its row, which is another one where looms are missing.
        if (output == "thread.prv" && type == cpu_of_thread && value > 0)
            value =
                static_cast<int64_t>(std::hash<std::string>()(cpus.at(static_cast<size_t>(value - 1))) >> 1);
        states[{names.at(static_cast<size_t>(row - 1)), static_cast<int>(type)}][time] = value;
    }
    return states;
}

void CutTest::expect_slice(const fs::path& whole, const fs::path& part_of_it, Part part) {
    int64_t shift = first_clock(part_of_it) - first_clock(whole);
    for (const char* output : {"thread.prv", "cpu.prv"}) {
        States all = states_of(whole, output), slice = states_of(part_of_it, output);
        for (auto& [row, values] : slice) {
            rest_from_begin(row.first, row.second, values);
            rest_from_begin(row.first, row.second, all[row]);
            auto expected = changes(all[row], part);
            auto seen = changes(values, {part.from - shift, part.to - shift});
            EXPECT_EQ(seen, expected)
                << output << ", row " << row.first << ", type " << row.second << ", " << part_of_it;
        }
        // A row that is not in the part shows nothing there, or that the thread is dead or rests.
        for (const auto& [row, values] : all) {
            if (slice.contains(row)) continue;
            auto expected = changes(values, part);
            bool is_quiet =
                expected.size() == 1 && (expected[0] == 0 || expected[0] == dead || expected[0] == resting);
            EXPECT_TRUE(is_quiet) << output << ", row " << row.first << ", type " << row.second << ", "
                                  << part_of_it << ": " << ::testing::PrintToString(expected);
        }
    }
}

}  // namespace ovni::test
