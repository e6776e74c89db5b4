// Values that take little memory where there are many of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/rare.hpp"
#include "base/text_list.hpp"
#include "emu/records/value_labels.hpp"
#include "trace/relative_path.hpp"

namespace ovni::test {

namespace {

using Pairs = std::vector<std::pair<int64_t, std::string>>;

Pairs pairs_of(const ValueLabels& labels) {
    Pairs pairs;
    for (const auto& [value, label] : labels.all()) pairs.emplace_back(value, label);
    return pairs;
}

TEST(TextListTest, GivesBackItsTexts) {
    TextList texts{"CPU 0.1", "", "vCPU 0.*"};
    texts.push_back("a text that is longer than sixteen bytes");
    ASSERT_EQ(texts.size(), 4U);
    EXPECT_EQ(texts[0], "CPU 0.1");
    EXPECT_EQ(texts[1], "");
    EXPECT_EQ(texts[2], "vCPU 0.*");
    EXPECT_EQ(texts[3], "a text that is longer than sixteen bytes");
    EXPECT_EQ(TextList().size(), 0U);
}

TEST(TextListTest, TextsAreComparedOneByOne) {
    EXPECT_EQ((TextList{"a", "bc"}), (TextList{"a", "bc"}));
    EXPECT_FALSE((TextList{"a", "bc"}) == (TextList{"ab", "c"}));
}

TEST(ValueLabelsTest, ASharedListLabelsTheValuesFrom1) {
    const Interned<TextList> rows = TextList{"first", "second"};
    ValueLabels labels(rows);
    labels.emplace_back(7, "seven");
    EXPECT_EQ(pairs_of(labels), (Pairs{{1, "first"}, {2, "second"}, {7, "seven"}}));
    EXPECT_EQ(labels.find(2), "second");
    EXPECT_EQ(labels.find(7), "seven");
    for (int64_t value : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{3}, INT64_MAX})
        EXPECT_FALSE(labels.find(value)) << value;
}

TEST(ValueLabelsTest, AllLabelsAreItsOwnIfThereIsNoSharedList) {
    EXPECT_TRUE(ValueLabels().empty());
    EXPECT_EQ(pairs_of({{0, "none"}, {5, "five"}}), (Pairs{{0, "none"}, {5, "five"}}));
}

TEST(RareTest, ACopyHasAValueOfItsOwn) {
    Rare<std::string> one = std::string("one");
    const Rare<std::string> copy = one;
    one = std::string("two");
    EXPECT_EQ(*copy, "one");
    EXPECT_EQ(*one, "two");
    one = Rare<std::string>();
    EXPECT_FALSE(one);
    EXPECT_FALSE(one == copy);
    EXPECT_EQ(sizeof one, sizeof(void*));
}

TEST(RelativePathTest, GivesBackTheTextThatItWasMadeOf) {
    for (const char* path :
         {"", "thread.1", "loom.a/proc.2/thread.3", "/x", "a/", "0", "1", "100", "thread.0", "thread.0070",
          "thread.2147483647", "12345678901234567890", "a/00000000001", "1/a", "thread.1000000000", "-1"}) {
        EXPECT_EQ(RelativePath(path).text(), path);
        EXPECT_EQ(RelativePath(path).empty(), *path == 0) << path;
    }
    EXPECT_EQ(RelativePath("a/b"), RelativePath("a/b"));
    EXPECT_EQ(RelativePath("a.10"), RelativePath("a.10"));
    EXPECT_FALSE(RelativePath("a/b") == RelativePath("a/c"));
    EXPECT_FALSE(RelativePath("a.1") == RelativePath("a.01"));
    EXPECT_FALSE(RelativePath("a.1") == RelativePath("b.1"));
    EXPECT_FALSE(RelativePath("a.1") == RelativePath("a.2"));
    EXPECT_EQ(sizeof(RelativePath), 16u);
}

}  // namespace

}  // namespace ovni::test
