// The details of MPI calls: the examples of ovni/mpi_events.h, and what is damaged.
#include "model/mpi_details.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ovni/format.h"
#include "ovni/mpi_events.h"

namespace ovni::test {

namespace {

using Step = MpiDetails::Step;
using Bytes = std::vector<uint8_t>;

// "0f 4d 53 5b ...": an event as it stands in a stream.
Bytes from_hex(const char* text) {
    Bytes bytes;
    for (char* end = nullptr; *text; text = end) {
        bytes.push_back(static_cast<uint8_t>(std::strtoul(text, &end, 16)));
        while (*end == ' ') ++end;
    }
    return bytes;
}

EventCode code_of(const Bytes& event) {
    return EventCode::from_bytes(event.data() + OVNI_FORMAT_CODE_AT);
}

std::span<const uint8_t> payload_of(const Bytes& event) {
    EXPECT_EQ(event.size(), ovni_format_event_size(event.data(), event.size()));
    return std::span(event).subspan(OVNI_FORMAT_EVENT_HEADER);
}

MpiDetails details_of(const char* text) {
    Bytes event = from_hex(text);
    return mpi_details(code_of(event), payload_of(event));
}

std::string text_of(const char* text) {
    Bytes event = from_hex(text);
    return describe_mpi_details(code_of(event), payload_of(event));
}

constexpr const char* send_enters =
    "0f 4d 53 5b 88 77 66 55 44 33 22 11 01 00 00 00 07 00 00 00 01 00 00 00 00 00 00 00";
constexpr const char* send_leaves =
    "0f 4d 53 5d 88 77 66 55 44 33 22 11 14 00 00 00 00 00 00 00 01 00 00 00 07 00 00 00";
constexpr const char* split_enters =
    "0f 4d 58 5b 88 77 66 55 44 33 22 11 46 00 ff ff ff ff 01 00 00 00 00 00 00 00 00 00";
constexpr const char* split_leaves = "05 4d 58 5d 88 77 66 55 44 33 22 11 46 00 03 00 00 00";
constexpr const char* wait_enters = "03 4d 57 5b 88 77 66 55 44 33 22 11 09 00 00 00";
constexpr const char* request_ends = "07 4d 58 63 88 77 66 55 44 33 22 11 09 00 00 00 00 00 00 00";
constexpr const char* message_came =
    "0f 4d 58 72 88 77 66 55 44 33 22 11 14 00 00 00 00 00 00 00 01 00 00 00 07 00 00 00";
constexpr const char* wait_leaves = "00 4d 57 5d 88 77 66 55 44 33 22 11";

}  // namespace

TEST(MpiDetails, ASendHasItsPeerTagCommunicatorAndBytes) {
    MpiDetails enter = details_of(send_enters);
    EXPECT_EQ(enter.step, Step::enter);
    EXPECT_EQ(enter.function->name, "MPI_Send");
    EXPECT_EQ(enter.peer, 1);
    EXPECT_EQ(enter.tag, 7);
    EXPECT_EQ(enter.object, 1u);
    EXPECT_EQ(enter.request, 0u);
    EXPECT_FALSE(enter.bytes.has_value());
    MpiDetails leave = details_of(send_leaves);
    EXPECT_EQ(leave.step, Step::leave);
    EXPECT_EQ(leave.bytes, 20u);
    EXPECT_EQ(leave.peer, 1);
    EXPECT_EQ(leave.tag, 7);
}

TEST(MpiDetails, AFunctionWithANumberHasItsCommunicator) {
    MpiDetails enter = details_of(split_enters);
    EXPECT_EQ(enter.function->name, "MPI_Comm_split");
    EXPECT_EQ(enter.root, OVNI_MPI_ANY);
    EXPECT_EQ(enter.object, 1u);
    EXPECT_EQ(enter.bytes, 0u);
    MpiDetails leave = details_of(split_leaves);
    EXPECT_EQ(leave.object, 3u);
    EXPECT_FALSE(leave.request.has_value());
}

TEST(MpiDetails, ALaterCompletionHasItsRequestAndMessage) {
    EXPECT_EQ(details_of(wait_enters).request, 9u);
    MpiDetails ended = details_of(request_ends);
    EXPECT_EQ(ended.step, Step::request_ended);
    EXPECT_EQ(ended.request, 9u);
    EXPECT_EQ(ended.how, uint32_t{OVNI_MPI_COMPLETED});
    MpiDetails message = details_of(message_came);
    EXPECT_EQ(message.step, Step::message);
    EXPECT_EQ(message.bytes, 20u);
    EXPECT_EQ(message.peer, 1);
    EXPECT_EQ(details_of(wait_leaves).step, Step::leave);
}

TEST(MpiDetails, BytesBehindANumberHave48Bits) {
    // Number 29 is MPI_Alltoallv.
    MpiDetails details =
        details_of("0f 4d 58 5b 88 77 66 55 44 33 22 11 1d 00 ff ff ff ff 01 00 00 00 01 02 03 04 05 06");
    EXPECT_EQ(details.function->name, "MPI_Alltoallv");
    EXPECT_EQ(details.bytes, 0x060504030201u);
    EXPECT_EQ(details_of("07 4d 41 52 88 77 66 55 44 33 22 11 00 00 00 00 02 00 00 00").bytes, 0x200000000u);
}

TEST(MpiDetails, MissingAndDamagedDetailsAreLeftOut) {
    MpiDetails plain = details_of("00 4d 53 5b 88 77 66 55 44 33 22 11");
    EXPECT_EQ(plain.step, Step::enter);
    EXPECT_FALSE(plain.peer.has_value());
    MpiDetails odd = details_of("04 4d 53 5b 88 77 66 55 44 33 22 11 01 00 00 00 00");
    EXPECT_EQ(odd.step, Step::enter);
    EXPECT_FALSE(odd.peer.has_value());
    EXPECT_EQ(details_of("00 4d 58 5b 88 77 66 55 44 33 22 11").step, Step::other);
    EXPECT_EQ(details_of("01 4d 58 5b 88 77 66 55 44 33 22 11 00 00").step, Step::other);
    EXPECT_EQ(details_of("01 4d 58 5b 88 77 66 55 44 33 22 11 ff ff").step, Step::other);
    EXPECT_EQ(details_of("00 4f 48 78 88 77 66 55 44 33 22 11").step, Step::other);
}

TEST(MpiDetails, DetailsAreTextForPeople) {
    EXPECT_EQ(text_of(send_enters), " peer=1 tag=7 communicator=1");
    EXPECT_EQ(text_of(send_leaves), " peer=1 tag=7 bytes=20");
    EXPECT_EQ(text_of(split_leaves), " communicator=3");
    EXPECT_EQ(text_of(wait_enters), " request=9");
    EXPECT_EQ(text_of(wait_leaves), "");
    // MPI_Recv from anybody, with any tag; MPI_Bcast where this rank is the root of an intercommunicator.
    EXPECT_EQ(text_of("0f 4d 52 5b 88 77 66 55 44 33 22 11 ff ff ff ff ff ff ff ff 01 00 00 00 00 00 00 00"),
              " peer=any tag=any communicator=1");
    EXPECT_EQ(text_of("0f 4d 44 62 88 77 66 55 44 33 22 11 fd ff ff ff 05 00 00 00 08 00 00 00 00 00 00 00"),
              " root=here communicator=5 bytes=8");
}

TEST(MpiDetails, ACommunicatorHasItsNumberIdAndMembers) {
    Bytes data = from_hex(
        "03 00 00 00 08 00 00 00 88 77 66 55 44 33 22 11 00 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00"
        " 01 00 00 00 03 00 00 00");
    auto told = mpi_communicator(data);
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->number, 3u);
    EXPECT_EQ(told->flags, uint32_t{OVNI_MPI_MEMBERS});
    EXPECT_EQ(told->id, 0x1122334455667788u);
    EXPECT_EQ(told->size, 2u);
    EXPECT_EQ(told->members, (std::vector<int32_t>{1, 3}));
    for (size_t size = 0; size < data.size(); ++size) {
        bool whole = size >= 32 && size % 4 == 0;
        EXPECT_EQ(mpi_communicator(std::span(data).first(size)).has_value(), whole) << size;
    }
}

}  // namespace ovni::test
