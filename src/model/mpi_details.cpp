#include "model/mpi_details.hpp"

#include <fmt/format.h>

#include <cstring>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

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

// Takes the values from the front. False if there are not so many bytes.
template <class... Values>
bool read(std::span<const uint8_t>& data, Values&... values) {
    auto take = [&](auto& value) {
        if (data.size() < sizeof value) return false;
        std::memcpy(&value, data.data(), sizeof value);
        data = data.subspan(sizeof value);
        return true;
    };
    return (take(values) && ...);
}

}  // namespace

MpiDetails mpi_details(EventCode code, std::span<const uint8_t> payload) {
    using Field = MpiField;
    MpiEvent event(code, payload);
    return {event.step(),
            event.function(),
            event.rank(Field::peer),
            event.rank(Field::tag),
            event.rank(Field::root),
            event.number(Field::object),
            event.number(Field::request),
            event.number(Field::count),
            event.number(Field::how),
            event.bytes()};
}

std::string describe_mpi_details(EventCode code, std::span<const uint8_t> payload) {
    MpiDetails details = mpi_details(code, payload);
    std::string text;
    if (!details.function) return text;
    const char* object = details.step == MpiStep::enter ? kind_of_object(*details.function)
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
    if (!read(data, communicator.number, communicator.flags, communicator.id, communicator.rank,
              communicator.size, communicator.remote_size, communicator.first))
        return std::nullopt;
    for (int32_t member; read(data, member);) communicator.members.push_back(member);
    return data.empty() ? std::optional(communicator) : std::nullopt;
}

std::optional<MpiUnrecorded> mpi_unrecorded(std::span<const uint8_t> data) {
    MpiUnrecorded all;
    MpiCommunicator& of = all.communicator;
    const bool is_whole =
        read(data, of.number, of.flags, of.id, of.rank, all.peer, all.tag, all.sends, all.receives);
    return is_whole && data.empty() ? std::optional(all) : std::nullopt;
}

std::optional<MpiUnderWay> mpi_under_way(std::span<const uint8_t> data) {
    MpiUnderWay all;
    MpiCommunicator& of = all.communicator;
    const bool is_whole = read(data, of.number, of.flags, of.id, of.rank, all.peer, all.tag, all.request);
    return is_whole && data.empty() ? std::optional(all) : std::nullopt;
}

std::optional<MpiUnrecordedEnd> mpi_unrecorded_end(std::span<const uint8_t> data) {
    MpiUnrecordedEnd end;
    const bool is_whole = read(data, end.request, end.how, end.peer, end.tag);
    return is_whole && data.empty() ? std::optional(end) : std::nullopt;
}

}  // namespace ovni
