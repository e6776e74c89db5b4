// A program that looks MPI up in its library by dlsym(), as bindings of other languages do: it is traced, and
// finds all else where it finds it without a tracer.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/mpi/traced.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;

class Lookups : public TracedTest {
 protected:
    // The MPI library that a program is linked with, as "libmpi.so.40".
    static std::string library_of(const std::string& program) {
        std::smatch found;
        const std::string text = run({"ldd", program}).out;
        return std::regex_search(text, found, std::regex("libmpi(ch)?\\.so\\.[0-9]+")) ? found.str() : "";
    }
    // Lines of ranks come in any order.
    static std::multiset<std::string> without_places_of_barrier(const std::string& text) {
        std::istringstream all(std::regex_replace(text, std::regex(" MPI_Barrier: .*"), " MPI_Barrier"));
        std::multiset<std::string> lines;
        for (std::string line; std::getline(all, line);) lines.insert(line);
        return lines;
    }
};

TEST_F(Lookups, LookupsInTheMpiLibraryFindTheTracer) {
#ifndef __x86_64__
    GTEST_SKIP() << "dlsym() is followed on x86-64 alone";
#endif
    const std::string library = library_of(app("heat"));
    ASSERT_NE(library, "");
    // It is linked with no MPI, so that one program serves all.
    const Words words{BUILD_DIR "/tests/apps/lookups", library};
    const Finished plain = mpirun(2, words);
    ASSERT_EQ(plain.status, 0) << plain.err;
    EXPECT_THAT(plain.out, HasSubstr("own MPI_Barrier: libmpi"));
    EXPECT_THAT(plain.out, HasSubstr("own MPI_Of_the_future: nowhere, an error"));
    const Finished done = traced(2, words);
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(without_places_of_barrier(done.out), without_places_of_barrier(plain.out));
    for (const char* how : {"own", "next", "any"})
        EXPECT_THAT(done.out, HasSubstr(std::string(how) + " MPI_Barrier: libovni-mpi"));
    const Trace trace = this->trace();
    ASSERT_EQ(trace.streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(story_of(trace, s), "MUi MUI MUf MUF");
    expect_emulates();
}

// The runtimes of sanitizers look up what they wrap before anything else runs.
TEST_F(Lookups, LookupsOfSanitizersWork) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the runtime of a sanitizer cannot be loaded later";
    int programs = 0;
    for (const char* sanitizer : {"thread", "address"}) {
        const std::string greeting = path(sanitizer), source = SOURCE_DIR "/tests/apps/greeting.c";
        const Finished built =
            run({"cc", std::string("-fsanitize=") + sanitizer, "-w", "-o", greeting, source});
        if (built.status != 0 || run({greeting}).status != 0) continue;
        ++programs;
        const Finished done = run({program("ovnirun"), "-o", trace_directory(), greeting},
                                  {"ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"});
        EXPECT_EQ(done.status, 0) << sanitizer << ": " << done.err;
        EXPECT_EQ(done.out, "hello\n");
    }
    if (programs == 0) GTEST_SKIP() << "cc makes no program with a sanitizer that runs here";
}

}  // namespace
}  // namespace ovni::test
