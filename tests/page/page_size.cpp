// A page of as many and as varied rows as a trace may have stays below its size.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/file.hpp"
#include "sink/page/page_sink.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t duration = 10'000'000'000;
constexpr uint16_t mpi_type = 25;

class PageSizeTest : public testing::TestWithParam<uint32_t> {
 protected:
    static constexpr uint32_t rows_of_host = 64, values = 160, counters = 16;

    PageSizeTest() {
        FileSchema& threads = plan_.schema.thread;
        TextList labels;
        for (uint32_t row = 0; row < rows(); ++row) labels.push_back(std::string(200, 'r'));
        threads.rows = std::move(labels);
        for (uint32_t row = 0; row < rows(); ++row) {
            plan_.schema.threads.push_back({row, 1});
            plan_.schema.processes.push_back(
                {"host" + std::to_string(row / rows_of_host) + std::string(100, 'h'), 1, {}, {}});
        }
        EventType functions{mpi_type, "MPI function", {}}, regions{page_region_type, "regions", {}};
        for (int64_t value = 1; value < values; ++value) {
            functions.labels.emplace_back(value, "MPI_" + std::string(40, 'f') + std::to_string(value));
            regions.labels.emplace_back(value, std::string(100, 'g') + std::to_string(value));
        }
        threads.types = {functions, regions};
        for (uint16_t counter = 0; counter < counters; ++counter)
            threads.types.push_back(
                {static_cast<uint16_t>(prv_type::first_instant + counter), std::string(100, 'c'), {}});
    }

    uint32_t rows() const { return GetParam(); }
    std::vector<WaitRow> waits() {
        std::vector<WaitRow> waits;
        for (int i = 0; i < 100; ++i) {
            const int64_t time = duration / 200 * i;
            waits.push_back({.time = time,
                             .end = time + duration / 300,
                             .thread = static_cast<int32_t>(below(rows())),
                             .cause = static_cast<int32_t>(below(rows()))});
        }
        return waits;
    }
    void fill(PageSink& sink) {
        constexpr int slices = 20, changes = 20'000;
        for (int slice = 0; slice < slices; ++slice) {
            std::vector<Record> records;
            std::vector<MessageRecord> messages;
            for (int i = 0; i < changes; ++i) {
                Record& record = records.emplace_back();
                record.time = duration / slices * slice + duration / slices / changes * i;
                record.thread_row = below(rows());
                record.type = below(10) == 0 ? page_region_type : mpi_type;
                record.value = below(values);
                if (below(4) == 0) {
                    record.type = static_cast<uint16_t>(prv_type::first_instant + below(counters));
                    record.value = below(1 << 30);
                }
                if (i % 10 > 0) continue;
                messages.push_back({.time = record.time,
                                    .send_end = record.time + 1000,
                                    .receive_begin = record.time,
                                    .receive_end = record.time + 100'000,
                                    .bytes = UINT64_MAX,
                                    .sender_row = below(rows()),
                                    .receiver_row = below(rows()),
                                    .tag = INT32_MAX});
            }
            const Slice part{records, {}, messages};
            sink.share(part);
            sink.write(part);
        }
    }
    // Sums between all ranks, and lists of any length.
    Json report() {
        Json report = {{"total", {{"locks", Json::array()}, {"mpi", Json::array()}}},
                       {"processes", Json::array()}};
        for (uint32_t p = 0; p < rows(); ++p) {
            Json functions = Json::array();
            for (int f = 0; f < 20; ++f)
                functions.push_back({{"function", "MPI_" + std::string(40, 'f') + std::to_string(f)},
                                     {"calls", UINT64_MAX},
                                     {"ns", below(1000)},
                                     {"sent", UINT64_MAX},
                                     {"received", UINT64_MAX}});
            report["processes"].push_back({{"host", "host" + std::to_string(p / rows_of_host)},
                                           {"pid", p},
                                           {"rank", p},
                                           {"mpi", std::move(functions)}});
        }
        Json matrix = Json::array(), sums = Json::array();
        for (int i = 0; i < 20'000; ++i) {
            matrix.push_back({{"from", below(rows())},
                              {"to", below(rows())},
                              {"messages", below(1000)},
                              {"bytes", UINT64_MAX / 7}});
            sums.push_back(
                {{"process", below(rows())}, {"region", std::string(600, 'g')}, {"ns", below(1 << 30)}});
        }
        report["messages"] = {{"matrix", std::move(matrix)}, {"nodes", Json::array()}};
        report["waits"] = {{"sums", std::move(sums)}};
        return report;
    }

    Plan plan_;

 private:
    uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }
    std::mt19937 random_{1};
};

TEST_P(PageSizeTest, TheSizeOfAPageIsBounded) {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "page.html";
    const Ranks alone;
    PageSink sink(path);
    const TrafficRows traffic;
    const std::vector<WaitRow> longest = waits();
    const MpiPlan no_mpi;
    sink.expect({traffic, longest, no_mpi});
    sink.begin(alone, plan_);
    fill(sink);
    const Facts facts;
    const Json report = this->report();
    sink.end({plan_.schema, duration, Ending::complete, facts, traffic, report});
    const std::string text = read_file(path);
    EXPECT_LE(text.size(), PageSink::most_bytes);
    EXPECT_NE(text.find(R"("kind":"whole")"), text.npos);
}

INSTANTIATE_TEST_SUITE_P(Rows, PageSizeTest, testing::Values(1, 4, 64, 65, 1024, 8192, 20000));

}  // namespace
}  // namespace ovni::test
