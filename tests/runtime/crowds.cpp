// Threads in large numbers, at once and one after another: each has its stream, and all events are there.
#include "tests/runtime/runtime_test.hpp"
#include "tests/support/launchers.hpp"

namespace ovni::test {
namespace {

class CrowdTest : public RuntimeTest, public ::testing::WithParamInterface<Words> {
 protected:
    CrowdTest() : RuntimeTest("/dev/shm") {}
    void expect_all_events(int at_once, int rounds, int events) {
        Words crowd{BUILD_DIR "/tests/runtime_crowd_target", std::to_string(at_once), std::to_string(rounds),
                    std::to_string(events)};
        constexpr int most_seconds = 600;  // below a sanitizer, on a busy machine
        Finished done =
            run(GetParam() + crowd, {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()},
                most_seconds);
        EXPECT_EQ(done.status, 9) << done.err;
        EXPECT_EQ(done.err, "");
        std::vector<RecordedStream> all = streams();
        ASSERT_EQ(all.size(), static_cast<size_t>(at_once * rounds));
        for (const RecordedStream& stream : all) {
            auto tid = stream.json["ovni"]["tid"].get<int>();
            ASSERT_EQ(stream.events.size(), static_cast<size_t>(events) + 2) << tid;
            for (size_t i = 1; i + 1 < stream.events.size(); ++i) {
                ASSERT_EQ(stream.events[i].argument<int>(0), static_cast<int>(i));
                ASSERT_EQ(stream.events[i].argument<int>(4), tid);
            }
            EXPECT_EQ(stream.json["ovni"]["finished"], 1);
        }
        for (const auto& place : std::filesystem::directory_iterator(home()))
            if (place.path().filename().string().starts_with("ovni-")) {
                EXPECT_TRUE(std::filesystem::is_empty(place.path()));
            }
    }
};
INSTANTIATE_TEST_SUITE_P(By, CrowdTest, ::testing::Values(Words{}, Words{program("ovnirun")}), launcher_name);

TEST_P(CrowdTest, AThousandThreadsAtOnceLoseNothing) {
    expect_all_events(1000, 1, 100);
}

TEST_P(CrowdTest, TenThousandThreadsOneAfterAnotherLoseNothing) {
    expect_all_events(8, 1250, 10);
}

}  // namespace
}  // namespace ovni::test
