// The controller's words on a command line, older spellings too.
#include "region/option_words.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ovni::region::test {

namespace {

struct Read {
    OptionWords options;
    std::vector<std::string> chains;
    std::string error;
    size_t left = 0;  // words that are not the controller's
};

Read read(std::vector<std::string_view> words) {
    Read result;
    std::span<const std::string_view> rest = words;
    while (!rest.empty()) {
        Fault fault;
        size_t taken = result.options.take(rest, fault);
        if (fault) result.error = fault->message();
        if (taken == 0) break;
        rest = rest.subspan(taken);
    }
    result.left = rest.size();
    if (Fault fault = result.options.finish(result.chains)) result.error = fault->message();
    return result;
}

using Chains = std::vector<std::string>;

TEST(OptionWords, WordsAreTakenWithAnyDash) {
    Read result = read({"-control", "start:int3", "--control=stop:int3",
                        "\xe2\x80\x93"
                        "control",
                        "a=b", "./program", "-control", "x"});
    EXPECT_EQ(result.chains, (Chains{"start:int3", "stop:int3", "a=b"}));
    EXPECT_EQ(result.left, 3u);
    EXPECT_EQ(result.error, "");
}

TEST(OptionWords, OldWordsBecomeChains) {
    EXPECT_EQ(read({"-skip", "100"}).chains, Chains{"start:icount:100"});
    EXPECT_EQ(read({"-length", "0x10"}).chains, Chains{"stop:icount:16"});
    EXPECT_EQ(read({"-length=20", "-skip=10"}).chains, Chains{"start:icount:10,stop:icount:20"});
    EXPECT_EQ(read({"-skip", "0", "-length", "20"}).chains, Chains{"stop:icount:20"});
    EXPECT_EQ(read({"-uniform-skip", "200", "-uniform-period", "800", "-uniform-length", "500",
                    "-uniform-count", "5"})
                  .chains,
              Chains{"precond:icount:200,uniform:800:500:5"});
    EXPECT_EQ(read({"-uniform-period", "8", "-uniform-length", "5", "-uniform-count", "5"}).chains,
              Chains{"uniform:8:5:5"});
}

TEST(OptionWords, ChooseDefaultStartAndLog) {
    Read usual = read({});
    EXPECT_EQ(usual.options.default_start(), Choice::yes);
    EXPECT_EQ(usual.options.log(), Choice::no);
    Read chosen =
        read({"-controller-default-start", "0", "-controller-log", "1", "-controller-olog", "file"});
    EXPECT_EQ(chosen.options.default_start(), Choice::no);
    EXPECT_EQ(chosen.options.log(), Choice::yes);
    EXPECT_EQ(chosen.options.log_file(), "file");
}

TEST(OptionWords, MayHaveUnderscoresAndThePrefixOfLoggers) {
    for (std::string_view word :
         {"-controller_default_start", "-log:controller_default_start", "--log:controller-default-start",
          "\xe2\x80\x93log:controller_default_start"}) {
        const Read result = read({word, "0"});
        EXPECT_EQ(result.error, "");
        EXPECT_TRUE(result.options.has_default_start()) << word;
        EXPECT_EQ(result.options.default_start(), Choice::no) << word;
    }
    EXPECT_EQ(read({"-log:uniform_period=8", "-log:uniform_length", "5", "-uniform_count", "5"}).chains,
              Chains{"uniform:8:5:5"});
    EXPECT_EQ(read({"-log:control", "start:int3"}).chains, Chains{"start:int3"});
    for (std::string_view word : {"-log:", "-log:log:skip", "-replay:skip", "-_skip"})
        EXPECT_EQ(read({word, "0"}).left, 2U) << word;
}

TEST(OptionWords, WordsOfARecorderThatIsNotHereChangeNothing) {
    const Read result = read({"-pinplay-control", "0", "-log:pinplay_control=1"});
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.left, 0U);
    EXPECT_EQ(result.chains, Chains{});
    EXPECT_FALSE(result.options.has_default_start());
    EXPECT_FALSE(result.options.has_log());
    EXPECT_EQ(read({"-pinplay-control", "2"}).error, "pinplay-control is 0 or 1, at column 1 of '2'");
}

TEST(OptionWords, MistakesShowTheirPlace) {
    EXPECT_EQ(read({"-skip"}).error, "skip needs a value, at column 1 of '-skip'");
    EXPECT_EQ(read({"-skip", "x"}).error, "skip: not a number: 'x', at column 1 of 'x'");
    EXPECT_EQ(read({"--length=x"}).error, "length: not a number: 'x', at column 10 of '--length=x'");
    EXPECT_EQ(read({"-controller-log", "2"}).error, "controller-log is 0 or 1, at column 1 of '2'");
    EXPECT_EQ(read({"-uniform-period", "8"}).error,
              "uniform-period, uniform-length and uniform-count belong together");
}

}  // namespace

}  // namespace ovni::region::test
