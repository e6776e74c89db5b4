// Batches reach the sink in order and whole, and what goes wrong there is told, whoever writes.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "sink/writer.hpp"
#include "tests/unit/sink_support.hpp"

namespace ovni {
namespace {

// Keeps what it gets; fails at the given batch.
class Collector : public Sink {
 public:
    explicit Collector(size_t fails_at = SIZE_MAX) : fails_at_(fails_at) {}
    void begin(const Ranks&, const Plan&) override {}
    void write(const Slice& slice) override {
        if (batches_++ == fails_at_) throw Error("cannot write", "thread.prv");
        for (const Record& record : slice.records) times.push_back(record.time);
        for (size_t b = 0; b < slice.breakdowns.size(); ++b)
            for (const Record& line : slice.breakdowns[b]) breakdown_times.emplace_back(b, line.time);
    }
    void end(const Outcome&) override {}

    std::vector<int64_t> times;
    std::vector<std::pair<size_t, int64_t>> breakdown_times;

 private:
    size_t fails_at_, batches_ = 0;
};

class WriterTest : public testing::TestWithParam<Writer::Mode> {
 protected:
    Collector& add_sink(size_t fails_at = SIZE_MAX) {
        auto sink = std::make_unique<Collector>(fails_at);
        Collector& added = *sink;
        sinks.push_back(std::move(sink));
        return added;
    }
    static void submit(Writer& writer, int64_t time) {
        EXPECT_TRUE(writer.batch().records.empty());
        writer.batch().records.append(line(time, 1, 1, 0));
        writer.batch().breakdowns[1].push_back(line(time, 17, 1, 0));
        writer.submit();
    }

    Ranks alone;
    Writer::Sinks sinks;
};

TEST_P(WriterTest, BatchesArriveInOrder) {
    Collector& sink = add_sink();
    Writer writer(alone, sinks, 2, GetParam());
    constexpr int64_t batches = 1000;
    for (int64_t i = 0; i < batches; ++i) submit(writer, i);
    writer.finish();
    ASSERT_EQ(sink.times.size(), static_cast<size_t>(batches));
    for (int64_t i = 0; i < batches; ++i) {
        EXPECT_EQ(sink.times[static_cast<size_t>(i)], i);
        EXPECT_EQ(sink.breakdown_times[static_cast<size_t>(i)], (std::pair<size_t, int64_t>(1, i)));
    }
}

TEST_P(WriterTest, AnErrorOfTheSinkIsThrownAndNothingIsWrittenAfterIt) {
    Collector& sink = add_sink(3);
    Writer writer(alone, sinks, 2, GetParam());
    EXPECT_THROW(
        {
            for (int64_t i = 0; i < 100; ++i) submit(writer, i);
            writer.finish();
        },
        Error);
    EXPECT_EQ(sink.times, (std::vector<int64_t>{0, 1, 2}));
}

TEST_P(WriterTest, EverySinkGetsEveryBatch) {
    Collector& first = add_sink();
    Collector& second = add_sink();
    Collector& third = add_sink();
    Writer writer(alone, sinks, 2, GetParam());
    for (int64_t i = 0; i < 3; ++i) submit(writer, i);
    writer.finish();
    for (const Collector* sink : {&first, &second, &third})
        EXPECT_EQ(sink->times, (std::vector<int64_t>{0, 1, 2}));
}

TEST_P(WriterTest, AWriterThatIsGivenUpEnds) {
    add_sink();
    Writer writer(alone, sinks, 2, GetParam());
    submit(writer, 1);
}

INSTANTIATE_TEST_SUITE_P(Modes, WriterTest, testing::Values(Writer::Mode::at_once, Writer::Mode::own_thread),
                         [](const auto& mode) {
                             return mode.param == Writer::Mode::at_once ? "AtOnce" : "OwnThread";
                         });

}  // namespace
}  // namespace ovni
