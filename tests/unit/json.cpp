// JSON as it is read: what the library reads, in the order of the text, and errors for what it lets pass.
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/support/stream_test.hpp"

namespace ovni::test {
namespace {

using Json = nlohmann::ordered_json;

class RandomJson {
 public:
    explicit RandomJson(unsigned seed) : random_(seed) {}

    Json value(int depth) {
        switch (below(depth > 0 ? 8 : 6)) {
            case 0:
                return nullptr;
            case 1:
                return below(2) == 0;
            case 2:
                return static_cast<int64_t>(random_()) - (int64_t{1} << 31);
            case 3:
                return random_() << 32 | random_();
            case 4:
                return static_cast<double>(below(1000)) / 8;
            case 5:
                return text();
            case 6: {
                Json array = Json::array();
                for (size_t i = below(20); i > 0; --i) array.push_back(value(depth - 1));
                return array;
            }
            default: {
                Json object = Json::object();
                for (size_t i = below(40); i > 0; --i) object[text()] = value(depth - 1);
                return object;
            }
        }
    }

 private:
    size_t below(size_t end) { return random_() % end; }
    std::string text() {
        std::string made;
        for (size_t i = below(30); i > 0; --i) made += static_cast<char>(' ' + below(90));
        return made;
    }
    std::mt19937_64 random_;
};

TEST(Json, TextsAreReadAsByTheLibrary) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const Json expected = RandomJson(seed).value(4);
        for (const std::string& text :
             {expected.dump(), expected.dump(2), "/* that is */ " + expected.dump()})
            EXPECT_EQ(parse_json(text, "file").dump(), expected.dump()) << text;
    }
}

TEST(Json, KeysAreThereOnce) {
    std::string many = "{";
    for (int i = 0; i < 100; ++i) many += "\"" + std::to_string(i) + "\": " + std::to_string(i) + ", ";
    EXPECT_EQ(parse_json(many + "\"x\": 0}", "file").size(), 101u);
    EXPECT_ERROR(parse_json(many + "\"57\": 0}", "file"), "JSON key '57' twice in one object");
    EXPECT_ERROR(parse_json(R"({"a": {"b": 1, "c": 2, "b": 3}})", "file"),
                 "JSON key 'b' twice in one object");
    EXPECT_EQ(parse_json(R"([{"a": 1}, {"a": 2}])", "file").size(), 2u);
    const std::string object = many + "\"x\": {\"1\": 1}}";
    EXPECT_EQ(parse_json("[" + object + ", " + object + ", {\"1\": 1}]", "file").size(), 3u);
    EXPECT_ERROR(parse_json("[" + object + ", {\"1\": 1, \"1\": 2}]", "file"), "JSON key '1' twice");
}

TEST(Json, ErrorsNameTheByte) {
    EXPECT_ERROR_AT(parse_json(R"({"a": 1,})", "file"), 9u);
    EXPECT_ERROR_AT(parse_json(std::string("{}\0", 3), "file"), 2u);
    EXPECT_ERROR(parse_json(std::string("{}\0", 3), "file"), "a byte of value zero");
    EXPECT_ERROR(parse_json(std::string(3000, '['), "file"), "nested too deep");
    EXPECT_ERROR(parse_json("{} {}", "file"), "not valid JSON");
}

}  // namespace
}  // namespace ovni::test
