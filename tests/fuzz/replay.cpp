// Runs a target on inputs without libFuzzer, so that every build can.
//
//     fuzz-TARGET ARCHIVE|DIRECTORY|FILE...
//         the kept inputs; a directory that is not there has none. The last one that was named is the one
//         that ended the process badly.
//     fuzz-TARGET --change SEED SECONDS CRASH ARCHIVE|DIRECTORY|FILE...
//         inputs that are changed at random. CRASH is where the input goes that ends the process badly.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "tests/fuzz/changed_inputs.hpp"
#include "tests/fuzz/seed_archive.hpp"
#include "tests/fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;
using ovni::fuzz::Seed;

std::vector<Seed> inputs_in(const fs::path& place) {
    if (place.extension() == ".tar") return ovni::fuzz::seeds_in(place);
    if (fs::is_regular_file(place)) return {{"", ovni::read_file(place)}};
    std::vector<Seed> found;
    if (!fs::is_directory(place)) return found;
    for (const fs::directory_entry& entry : fs::directory_iterator(place))
        if (entry.is_regular_file())
            found.push_back({entry.path().filename(), ovni::read_file(entry.path())});
    std::ranges::sort(found, {}, &Seed::name);
    return found;
}

// The limit is that of -malloc_limit_mb. Sanitizers need far more addresses than memory.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr rlim_t most = rlim_t{1} << 30;
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
#endif
}

int replay(std::span<char*> places) {
    size_t count = 0;
    for (const char* place : places)
        for (const Seed& input : inputs_in(place)) {
            std::printf("%s %s\n", place, input.name.c_str());
            std::fflush(stdout);
            ovni::fuzz::take(input.content);
            ++count;
        }
    std::printf("%zu inputs\n", count);
    return count > 0 ? 0 : 1;
}

std::string current_input;
const char* crash_file = nullptr;

extern "C" void keep_the_input(int signal) {
    const int file = ::open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ::write(file, current_input.data(), current_input.size()) < 0) ::_exit(1);
    ::raise(signal);
}

// The handler has a stack of its own, for inputs that use up the other one.
void keep_inputs_of_crashes() {
    alignas(16) static char stack[size_t{64} << 10];
    const stack_t own{stack, 0, sizeof stack};
    ::sigaltstack(&own, nullptr);
    struct sigaction action {};
    action.sa_handler = keep_the_input;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
    for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
        ::sigaction(signal, &action, nullptr);
}

int change(uint64_t seed, std::chrono::seconds duration, std::span<char*> places) {
    constexpr unsigned longest_seconds = 30;
    std::vector<Seed> kept;
    for (const char* place : places) std::ranges::move(inputs_in(place), std::back_inserter(kept));
    if (kept.empty()) return 1;
    ovni::fuzz::ChangedInputs inputs(std::move(kept), seed);
    keep_inputs_of_crashes();
    size_t count = 0;
    const auto end = std::chrono::steady_clock::now() + duration;
    do {
        current_input = inputs.next();
        ::alarm(longest_seconds);
        ovni::fuzz::take(current_input);
        ++count;
    } while (std::chrono::steady_clock::now() < end);
    ::alarm(0);
    std::printf("%zu changed inputs\n", count);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    limit_memory();
    const std::span words(argv + 1, static_cast<size_t>(argc - 1));
    if (words.size() < 5 || words[0] != std::string_view("--change")) return replay(words);
    crash_file = words[3];
    return change(std::strtoull(words[1], nullptr, 10),
                  std::chrono::seconds(std::strtol(words[2], nullptr, 10)), words.subspan(4));
}
