// Parts of the traces below tests/golden: what holds of the whole holds of them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

const fs::path cases = fs::path(SOURCE_DIR) / "tests/golden/cases";

nlohmann::json about(const std::string& name) {
    return nlohmann::json::parse(read_file(cases / name / "case.json"));
}

std::vector<std::string> names_of_cases() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(cases)) {
        std::string name = entry.path().filename();
        if (about(name)["accepted"]) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

class CorpusCutTest : public CutTest, public testing::WithParamInterface<std::string> {};

TEST_P(CorpusCutTest, PartsOfAnAcceptedTraceAreAccepted) {
    fs::path whole = directory() / "whole";
    fs::copy(cases / GetParam() / "trace", whole, fs::copy_options::recursive);
    if (about(GetParam())["sort"]) {
        ASSERT_EQ(run({program("ovnisort"), whole}).status, 0);
    }
    std::vector<std::string> strictness = {"-l"};
    if (emulate(whole, strictness).status != 0) strictness.clear();
    ASSERT_EQ(emulate(whole, strictness).status, 0);
    int64_t end = length(whole);
    constexpr int parts = 3;
    for (int k = 0; k < parts; ++k) {
        Part part{k * end / parts, (k + 1) * end / parts + 1};
        std::string name = fmt::format("part{}", k);
        std::vector<std::string> range = {"--from", fmt::format("{}ns", part.from), "--to",
                                          fmt::format("{}ns", part.to)};
        Finished done = try_cut(whole, name, range);
        if (done.err.find("nothing of the trace is in that part") != std::string::npos) continue;
        ASSERT_EQ(done.status, 0) << done.err;
        fs::path sliced = directory() / name;
        Finished emulated = emulate(sliced, strictness);
        ASSERT_EQ(emulated.status, 0) << emulated.err;
        expect_slice(whole, sliced, part);
    }
}

INSTANTIATE_TEST_SUITE_P(Traces, CorpusCutTest, testing::ValuesIn(names_of_cases()));

}  // namespace

}  // namespace ovni::test
