// Texts that are no UTF-8: the same in a report, which the JSON library writes, and in a file of columns.
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace ovni::test {

namespace {

std::string as_json_has_it(const std::string& text) {
    using Json = nlohmann::ordered_json;
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

TEST(Utf8, ValidTextStays) {
    for (const char* text : {"", "plain", "caf\u00e9", "\u20ac \U0001f600", "\uffff\U0010ffff"})
        EXPECT_EQ(valid_utf8(text), text);
    const std::string zeros("a\0b\0", 4);
    EXPECT_EQ(valid_utf8(zeros), zeros);
}

TEST(Utf8, InvalidBytesAreReplaced) {
    const std::pair<std::string, std::string> texts[] = {
        {"caf\xe9", "caf\ufffd"},
        {"\xe9t\xe9", "\ufffdt\ufffd"},
        {"\xe2\x82", "\ufffd"},  // a character that is cut
        {"\xe2\x82x", "\ufffdx"},
        {"\xc0\x80", "\ufffd\ufffd"},                      // longer than needed
        {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},            // a surrogate
        {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},  // beyond Unicode
        {"\x80\xff", "\ufffd\ufffd"},
    };
    for (const auto& [text, valid] : texts) EXPECT_EQ(valid_utf8(text), valid);
}

TEST(Utf8, ReportsReplaceTheSameBytes) {
    std::mt19937 random(1);
    const std::string bytes = "az\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xe0\xe9\xed\xef\xf0\xf3\xf4\xf5\xff";
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (size_t length = random() % 7; text.size() < length;) text += bytes[random() % bytes.size()];
        ASSERT_EQ(valid_utf8(text), as_json_has_it(text)) << testing::PrintToString(text);
    }
}

}  // namespace

}  // namespace ovni::test
