#include "calls/communicators.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ovni/mpi_events.h"

namespace ovni {

void ProcessCommunicators::define(std::span<const uint8_t> data) {
    auto described = mpi_communicator(data);
    if (!described) return;
    CommunicatorFacts& known = communicators_[described->number];
    known.id = described->id;
    known.flags = described->flags;
    known.size = described->size;
    known.rank = described->rank;
    // A list grows only at its end, so a damaged one needs no more memory than its events.
    if (described->first > known.members.size()) return;
    known.members.resize(std::max(known.members.size(), described->first + described->members.size()), -1);
    std::ranges::copy(described->members, known.members.begin() + described->first);
}

void ProcessCommunicators::name(std::span<const uint8_t> data) {
    uint32_t number = 0;
    if (data.size() <= sizeof number) return;
    std::memcpy(&number, data.data(), sizeof number);
    if (auto known = communicators_.find(number); known != communicators_.end()) {
        std::string_view text(reinterpret_cast<const char*>(data.data()) + sizeof number,
                              data.size() - sizeof number);
        known->second.name = text.substr(0, text.find('\0'));
    }
}

void ProcessCommunicators::add_if_new(const MpiCommunicator& described) {
    if (described.number <= OVNI_MPI_SELF) return;
    auto [known, is_new] = communicators_.try_emplace(described.number);
    if (!is_new) return;
    known->second.id = described.id;
    known->second.flags = described.flags;
    known->second.rank = described.rank;
}

void ProcessCommunicators::define_window(std::span<const uint8_t> data) {
    struct {
        uint32_t number, kind, communicator;
    } described;
    if (data.size() < sizeof described) return;
    std::memcpy(&described, data.data(), sizeof described);
    if (described.kind == OVNI_MPI_WINDOW) of_windows_[described.number] = described.communicator;
}

uint32_t ProcessCommunicators::of_window(uint32_t window) const {
    auto known = of_windows_.find(window);
    return known == of_windows_.end() ? uint32_t{OVNI_MPI_NO_OBJECT} : known->second;
}

const CommunicatorFacts* ProcessCommunicators::find(uint32_t number) const {
    auto known = communicators_.find(number);
    return known == communicators_.end() ? nullptr : &known->second;
}

uint64_t ProcessCommunicators::id_of(uint32_t number) const {
    if (number == OVNI_MPI_WORLD || number == OVNI_MPI_SELF) return number;
    const CommunicatorFacts* known = find(number);
    return known ? known->id : 0;
}

CommunicatorFacts ProcessCommunicators::with_id(uint64_t id) const {
    for (const auto& [number, facts] : communicators_)
        if (facts.id == id) return facts;
    CommunicatorFacts unknown;
    unknown.id = id;
    return unknown;
}

}  // namespace ovni
