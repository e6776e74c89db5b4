#include "model/mpi_details.hpp"

#include <fmt/format.h>

#include <cstring>
#include <unordered_map>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Step = MpiDetails::Step;

enum class Field : uint8_t { none, peer, tag, root, object, request, count, how, bytes };

template <class... Records>
constexpr uint64_t records(Records... all) {
    return ((uint64_t{1} << static_cast<unsigned>(all)) | ...);
}

// The fields of a payload behind the number of the function. Of the rows with that step and the record of the
// function the one counts whose fields are as long as the payload.
struct Layout {
    Step step;
    Field fields[4];
    uint64_t records;
};

constexpr uint64_t any_record = ~uint64_t{0};

constexpr Layout layouts[] = {
    {Step::enter,
     {Field::peer, Field::tag, Field::object, Field::request},
     records(MpiRecord::Send, MpiRecord::PostedSend, MpiRecord::Receive, MpiRecord::PostedReceive,
             MpiRecord::Exchange, MpiRecord::PostedExchange)},
    {Step::enter,
     {Field::peer, Field::tag, Field::object},
     records(MpiRecord::Probe, MpiRecord::PersistentSend, MpiRecord::PersistentReceive)},
    {Step::enter,
     {Field::request},
     records(MpiRecord::Completion, MpiRecord::RequestUse, MpiRecord::Start, MpiRecord::MatchedReceive,
             MpiRecord::PostedMatchedReceive)},
    {Step::enter, {Field::count}, records(MpiRecord::Completions, MpiRecord::Starts)},
    {Step::enter, {Field::root, Field::object, Field::bytes}, any_record},
    {Step::leave,
     {Field::bytes, Field::peer, Field::tag},
     records(MpiRecord::Send, MpiRecord::PostedSend, MpiRecord::Receive, MpiRecord::Exchange,
             MpiRecord::PostedExchange, MpiRecord::MatchedReceive)},
    {Step::leave, {Field::peer, Field::tag, Field::request}, records(MpiRecord::Probe)},
    {Step::leave,
     {Field::object},
     records(MpiRecord::CommunicatorMaker, MpiRecord::SpawnMaker, MpiRecord::WindowMaker,
             MpiRecord::FileMaker)},
    {Step::leave, {Field::bytes, Field::request}, any_record},
    {Step::leave, {Field::bytes}, any_record},
    {Step::send_started, {Field::peer, Field::tag, Field::object, Field::request}, any_record},
    {Step::receive_started, {Field::peer, Field::tag, Field::object, Field::request}, any_record},
    {Step::request_ended, {Field::request, Field::how}, any_record},
    {Step::message, {Field::bytes, Field::peer, Field::tag}, any_record},
    {Step::bytes, {Field::bytes}, any_record},
};

struct Meaning {
    Step step = Step::other;
    const MpiFunctionRow* function = nullptr;
};

// By the bits of codes; those of MX[ and MX] have their function in the payload.
const std::unordered_map<uint32_t, Meaning>& meanings() {
    static const auto all = [] {
        std::unordered_map<uint32_t, Meaning> map;
        for (const MpiFunctionRow& row : mpi_function_rows) {
            const MpiFunctionRow* own = row.number == 0 ? &row : nullptr;
            map[row.enter.bits()] = {Step::enter, own};
            map[row.leave.bits()] = {Step::leave, own};
        }
        map[EventCode(OVNI_MPI_SEND_STARTED).bits()] = {Step::send_started};
        map[EventCode(OVNI_MPI_RECEIVE_STARTED).bits()] = {Step::receive_started};
        map[EventCode(OVNI_MPI_REQUEST_ENDED).bits()] = {Step::request_ended};
        map[EventCode(OVNI_MPI_MESSAGE).bits()] = {Step::message};
        map[EventCode(OVNI_MPI_BYTES).bits()] = {Step::bytes};
        return map;
    }();
    return all;
}

const MpiFunctionRow* further_function(uint16_t number) {
    static const size_t first = [] {
        size_t place = 0;
        while (mpi_function_rows[place].number == 0) ++place;
        return place;
    }();
    bool known = number != 0 && first + number <= std::size(mpi_function_rows);
    return known ? &mpi_function_rows[first + number - 1] : nullptr;
}

constexpr unsigned short_bytes = 6;  // of a count of bytes behind a number

size_t size_of(Field field, bool numbered) {
    if (field == Field::none) return 0;
    if (field == Field::bytes) return numbered ? short_bytes : sizeof(uint64_t);
    return sizeof(uint32_t);
}

size_t size_of(const Layout& layout, bool numbered) {
    size_t size = 0;
    for (Field field : layout.fields) size += size_of(field, numbered);
    return size;
}

// Bytes as an integer without sign; shorter ones have zeros above.
uint64_t take(std::span<const uint8_t>& payload, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, payload.data(), size);
    payload = payload.subspan(size);
    return value;
}

void set(MpiDetails& details, Field field, uint64_t value) {
    auto number = static_cast<uint32_t>(value);
    auto rank = static_cast<int32_t>(number);
    switch (field) {
        case Field::none:
            break;
        case Field::peer:
            details.peer = rank;
            break;
        case Field::tag:
            details.tag = rank;
            break;
        case Field::root:
            details.root = rank;
            break;
        case Field::object:
            details.object = number;
            break;
        case Field::request:
            details.request = number;
            break;
        case Field::count:
            details.count = number;
            break;
        case Field::how:
            details.how = number;
            break;
        case Field::bytes:
            details.bytes = value;
            break;
    }
}

void read_fields(MpiDetails& details, std::span<const uint8_t> payload, bool numbered) {
    MpiRecord record = details.function ? details.function->record : MpiRecord::Plain;
    for (const Layout& layout : layouts) {
        if (layout.step != details.step || !(layout.records & records(record))) continue;
        if (size_of(layout, numbered) != payload.size()) continue;
        for (Field field : layout.fields)
            if (field != Field::none) set(details, field, take(payload, size_of(field, numbered)));
        return;
    }
}

const char* kind_of_object(const MpiFunctionRow& function) {
    if (function.family == "rma" && function.record != MpiRecord::WindowMaker) return "window";
    if (function.family == "io" && function.record != MpiRecord::FileMaker) return "file";
    return "communicator";
}

const char* kind_of_new_object(const MpiFunctionRow& function) {
    if (function.record == MpiRecord::WindowMaker) return "window";
    return function.record == MpiRecord::FileMaker ? "file" : "communicator";
}

std::string rank_text(int32_t rank) {
    if (rank == OVNI_MPI_ANY) return "any";
    return rank == OVNI_MPI_NOBODY ? "nobody" : fmt::format("{}", rank);
}

}  // namespace

MpiDetails mpi_details(EventCode code, std::span<const uint8_t> payload) {
    MpiDetails details;
    auto found = meanings().find(code.bits());
    if (found == meanings().end()) return details;
    details.step = found->second.step;
    details.function = found->second.function;
    bool of_function = details.step == Step::enter || details.step == Step::leave;
    bool numbered = of_function && !details.function;
    if (numbered) {
        if (payload.size() >= sizeof(uint16_t))
            details.function = further_function(static_cast<uint16_t>(take(payload, sizeof(uint16_t))));
        if (!details.function) return {};
    }
    if (!payload.empty()) read_fields(details, payload, numbered);
    return details;
}

std::string describe_mpi_details(EventCode code, std::span<const uint8_t> payload) {
    MpiDetails details = mpi_details(code, payload);
    std::string text;
    if (!details.function) return text;
    const char* object = details.step == Step::enter ? kind_of_object(*details.function)
                                                     : kind_of_new_object(*details.function);
    if (details.peer) text += " peer=" + rank_text(*details.peer);
    if (details.tag)
        text += " tag=" + (*details.tag == OVNI_MPI_ANY ? "any" : fmt::format("{}", *details.tag));
    if (details.root && *details.root != OVNI_MPI_ANY)
        text += fmt::format(" {}={}", details.function->family == "rma" ? "target" : "root",
                            *details.root == OVNI_MPI_THIS_RANK ? "here" : rank_text(*details.root));
    if (details.object) text += fmt::format(" {}={}", object, *details.object);
    if (details.request && *details.request != 0) text += fmt::format(" request={}", *details.request);
    if (details.count) text += fmt::format(" requests={}", *details.count);
    if (details.bytes) text += fmt::format(" bytes={}", *details.bytes);
    return text;
}

std::optional<MpiCommunicator> mpi_communicator(std::span<const uint8_t> data) {
    MpiCommunicator communicator;
    auto read = [&](auto& value) {
        if (data.size() < sizeof value) return false;
        std::memcpy(&value, data.data(), sizeof value);
        data = data.subspan(sizeof value);
        return true;
    };
    if (!read(communicator.number) || !read(communicator.flags) || !read(communicator.id) ||
        !read(communicator.rank) || !read(communicator.size) || !read(communicator.remote_size) ||
        !read(communicator.first))
        return std::nullopt;
    for (int32_t member; read(member);) communicator.members.push_back(member);
    return data.empty() ? std::optional(communicator) : std::nullopt;
}

}  // namespace ovni
