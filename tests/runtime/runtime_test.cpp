#include "tests/runtime/runtime_test.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "ring/session.hpp"
#include "tests/support/own_shared_memory.hpp"
#include "tests/support/packed_file.hpp"

namespace ovni::test {

namespace fs = std::filesystem;

[[maybe_unused]] static testing::Environment* const shared_memory =
    testing::AddGlobalTestEnvironment(new OwnSharedMemory);

std::string file_content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

RecordedStream::RecordedStream(fs::path stream_directory)
    : directory(std::move(stream_directory)),
      bytes(plain_stream(file_content(directory / "stream.obs"))),
      json_text(file_content(directory / "stream.json")) {
    json = nlohmann::ordered_json::parse(json_text, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << json_text;
    gaps = nlohmann::ordered_json::parse(file_content(directory / "stream.gaps.json"), nullptr, false);
    EXPECT_EQ(bytes.substr(0, 8), std::string("ovni\1\0\0\0", 8)) << directory;
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    for (uint64_t at = 8; at < bytes.size();) {
        uint64_t size = ovni_format_event_size(data + at, bytes.size() - at);
        if (size == 0 || size > bytes.size() - at) {
            ADD_FAILURE() << "damaged event at byte " << at << " of " << directory;
            break;
        }
        events.push_back(
            {bytes.substr(at + 1, 3), ovni_format_clock(data + at), at, bytes.substr(at + 12, size - 12)});
        at += size;
    }
}

std::string RecordedStream::codes() const {
    std::string list;
    for (const RecordedEvent& event : events) list += (list.empty() ? "" : " ") + event.code;
    return list;
}

bool RecordedStream::clocks_never_decrease() const {
    return std::is_sorted(events.begin(), events.end(), [](auto& a, auto& b) { return a.clock < b.clock; });
}

RuntimeTest::RuntimeTest(const fs::path& place) : directory_(place) {
    set_environment("OVNI_TRACEDIR", trace());
    set_environment("OVNI_RUNDIR", home());
}

void RuntimeTest::run_traced(const std::function<void()>& body) {
    fs::path errors = home() / "stderr";
    std::fflush(nullptr);
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        int fd = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
        ::dup2(fd, STDERR_FILENO);
        for (const auto& [name, value] : environment_) ::setenv(name.c_str(), value.c_str(), 1);
        body();
        ::exit(0);
    }
    int result = 0;
    ASSERT_EQ(::waitpid(child, &result, 0), child);
    last_ = {WIFSIGNALED(result) ? 128 + WTERMSIG(result) : WEXITSTATUS(result), "", file_content(errors)};
}

Finished RuntimeTest::recover(const std::string& shell) const {
    std::string words;
    // A program that was killed early has not made one.
    std::error_code none;
    for (const auto& directory :
         fs::directory_iterator(home() / ("ovni-" + std::to_string(::geteuid())), none))
        if (writer::Session::open(directory.path()).is_valid())
            words += " '" + directory.path().string() + "'";
    if (words.empty()) return {};
    return run({"sh", "-c", shell + "exec " + program("ovnirecover") + words});
}

std::vector<RecordedStream> RuntimeTest::streams() const {
    std::vector<fs::path> found;
    if (fs::exists(trace()))
        for (const auto& entry : fs::recursive_directory_iterator(trace()))
            if (entry.path().filename() == "stream.json") found.push_back(entry.path().parent_path());
    std::sort(found.begin(), found.end());
    return {found.begin(), found.end()};
}

RecordedStream RuntimeTest::stream() const {
    std::vector<RecordedStream> all = streams();
    EXPECT_EQ(all.size(), 1u) << printed_errors();
    if (all.empty()) throw std::runtime_error("there is no stream: " + printed_errors());
    return all.front();
}

}  // namespace ovni::test
