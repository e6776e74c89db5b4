#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "sink/paraver/pcf.hpp"
#include "sink/paraver/row.hpp"

namespace ovni {
namespace {

const std::filesystem::path expected =
    std::filesystem::path(SOURCE_DIR) / "tests/golden/cases/mpi-func/expected";

// Head and colours are those of a trace that is known to be good.
std::string known_head() {
    std::string text = read_file(expected / "thread.pcf");
    return text.substr(0, text.find("\n\nEVENT_TYPE"));
}

TEST(Pcf, NoTypesLeaveTheFixedHead) {
    EXPECT_EQ(pcf_text({}), known_head());
}

TEST(Pcf, ListsTypesAndLabelsInTheirOrder) {
    FileSchema schema;
    schema.types = {
        {6, "Thread: CPU affinity", {{1, " CPU 0.0"}, {2, "vCPU 0.*"}}},
        {2, "Thread: TID of the ACTIVE thread", {}},
        {100, "Flushing state ", {{12345, "five digits"}, {-1, "negative"}, {INT64_C(1) << 32, "cut"}}}};
    EXPECT_EQ(pcf_text(schema), known_head() +
                                    "\n\nEVENT_TYPE\n0 6          Thread: CPU affinity\nVALUES\n"
                                    "1     CPU 0.0\n2    vCPU 0.*\n"
                                    "\n\nEVENT_TYPE\n0 2          Thread: TID of the ACTIVE thread\nVALUES\n"
                                    "\n\nEVENT_TYPE\n0 100        Flushing state \nVALUES\n"
                                    "12345 five digits\n-1   negative\n0    cut\n");
}

// A label with a line break must not become a line of its own, which Paraver would read as another value.
TEST(Pcf, TitlesAndLabelsAreOneLine) {
    FileSchema schema;
    schema.types = {{101, "a\ntitle", {{1, "first\r\n2    second"}, {3, "tab\tstays"}}}};
    EXPECT_EQ(pcf_text(schema), known_head() +
                                    "\n\nEVENT_TYPE\n0 101        a title\nVALUES\n"
                                    "1    first  2    second\n3    tab\tstays\n");
}

TEST(Pcf, FurtherColorsFollowTheFixedOnes) {
    FileSchema schema;
    schema.colors = {{23, 255, 0, 7}, {1001, 1, 20, 255}};
    EXPECT_EQ(pcf_text(schema), known_head() + "23  {255,   0,   7}\n1001 {  1,  20, 255}\n");
}

TEST(Row, NamesEveryRow) {
    FileSchema schema;
    schema.rows = TextList{"TH 1.4693", "TH 1.4694", "TH 1.4695", "TH 1.4696"};
    EXPECT_EQ(row_text(schema), read_file(expected / "thread.row"));
}

TEST(Row, LabelsAreOneLine) {
    FileSchema schema;
    schema.rows = TextList{"TH\n2", "\x1b[2Jthree"};
    EXPECT_EQ(row_text(schema), "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\nTH 2\n [2Jthree\n");
}

TEST(Row, AFileMayHaveNoRows) {
    EXPECT_EQ(row_text({}), "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 0\n");
}

}  // namespace
}  // namespace ovni
