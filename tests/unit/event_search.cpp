// Events found by their bytes.
#include "trace/event_search.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/error.hpp"
#include "ovni/format.h"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {
namespace {

constexpr SearchedCodes codes = {"OHx", "OAs", "OAr"};
constexpr size_t block = 256;

class EventSearchTest : public testing::Test {
 protected:
    void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
    std::string path() const { return directory_.path() / "stream.obs"; }
    std::vector<uint64_t> found(uint64_t from = OVNI_FORMAT_STREAM_HEADER) const {
        std::vector<uint64_t> offsets;
        while (const auto next =
                   search_event(path(), block, from, codes, [](std::span<const uint8_t>) { return true; })) {
            offsets.push_back(*next);
            from = *next + 1;
        }
        return offsets;
    }

 private:
    TemporaryDirectory directory_;
};

TEST_F(EventSearchTest, FindsAnEventWhereverItLies) {
    constexpr size_t size = 3 * block;
    for (size_t at = OVNI_FORMAT_STREAM_HEADER; at + 4 <= size; ++at)
        for (const char* code : {"OHx", "OAs", "OAr"}) {
            std::string bytes(size, 'O');
            bytes.replace(at + OVNI_FORMAT_CODE_AT, 3, code);
            write(bytes);
            ASSERT_EQ(found(), std::vector<uint64_t>{at}) << code;
        }
}

TEST_F(EventSearchTest, FindsAllOfRandomBytesFromAnyOffset) {
    std::mt19937 random(1);
    const std::string letters = "OHxAsr";
    for (size_t size : {1, 8, 9, 11, 12, 13, 40, 255, 256, 257, 284, 5000}) {
        std::string bytes(size, ' ');
        for (char& c : bytes) c = letters[random() % letters.size()];
        write(bytes);
        for (uint64_t from : {uint64_t{OVNI_FORMAT_STREAM_HEADER}, random() % (size + 2)}) {
            std::vector<uint64_t> expected;
            for (uint64_t at = from; at + OVNI_FORMAT_CODE_AT + 3 <= size; ++at) {
                const std::string code = bytes.substr(at + OVNI_FORMAT_CODE_AT, 3);
                if (code == "OHx" || code == "OAs" || code == "OAr") expected.push_back(at);
            }
            ASSERT_EQ(found(from), expected) << size << " bytes from " << from;
        }
    }
}

TEST_F(EventSearchTest, ShowsTheWholeEventOrWhatIsLeft) {
    constexpr size_t size = 4 * block;
    for (size_t at = OVNI_FORMAT_STREAM_HEADER; at + 4 <= size; ++at) {
        std::string bytes(size, '.');
        bytes.replace(at + OVNI_FORMAT_CODE_AT, 3, "OAs");
        write(bytes);
        const auto is_wanted = [&](std::span<const uint8_t> event) {
            EXPECT_GE(event.size(), std::min<size_t>(OVNI_FORMAT_EVENT_MAX, size - at));
            EXPECT_LE(event.size(), size - at);
            const std::string_view text(reinterpret_cast<const char*>(event.data()), event.size());
            EXPECT_EQ(text, std::string_view(bytes).substr(at, event.size()));
            return false;
        };
        ASSERT_EQ(search_event(path(), block, OVNI_FORMAT_STREAM_HEADER, codes, is_wanted), std::nullopt);
    }
}

TEST_F(EventSearchTest, AFileThatIsNotThereIsAnError) {
    EXPECT_THROW(found(), Error);
}

}  // namespace
}  // namespace ovni::test
