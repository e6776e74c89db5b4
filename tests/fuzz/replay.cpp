// Runs a target on kept inputs without libFuzzer, so that every build can: fuzz-TARGET
// ARCHIVE|DIRECTORY|FILE... A directory that is not there has no inputs. Any bad end of a target ends the
// process; the input is the last one that was named.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
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

}  // namespace

int main(int argc, char** argv) {
    limit_memory();
    size_t count = 0;
    for (int i = 1; i < argc; ++i)
        for (const Seed& input : inputs_in(argv[i])) {
            std::printf("%s %s\n", argv[i], input.name.c_str());
            std::fflush(stdout);
            ovni::fuzz::take(input.content);
            ++count;
        }
    std::printf("%zu inputs\n", count);
    return count > 0 ? 0 : 1;
}
