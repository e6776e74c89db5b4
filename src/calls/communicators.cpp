#include "calls/communicators.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ovni/mpi_events.h"

namespace ovni {

void ProcessCommunicators::define(std::span<const uint8_t> data) {
    auto told = mpi_communicator(data);
    if (!told) return;
    CommunicatorFacts& known = communicators_[told->number];
    known.id = told->id;
    known.flags = told->flags;
    known.size = told->size;
    known.rank = told->rank;
    // A list goes on where it is known to, so a damaged one needs no more memory than its events.
    if (told->first > known.members.size()) return;
    known.members.resize(std::max(known.members.size(), told->first + told->members.size()), -1);
    std::ranges::copy(told->members, known.members.begin() + told->first);
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

void ProcessCommunicators::meet(const MpiCommunicator& told) {
    if (told.number <= OVNI_MPI_SELF) return;
    auto [known, is_new] = communicators_.try_emplace(told.number);
    if (!is_new) return;
    known->second.id = told.id;
    known->second.flags = told.flags;
    known->second.rank = told.rank;
}

void ProcessCommunicators::define_window(std::span<const uint8_t> data) {
    struct {
        uint32_t number, kind, communicator;
    } told;
    if (data.size() < sizeof told) return;
    std::memcpy(&told, data.data(), sizeof told);
    if (told.kind == OVNI_MPI_WINDOW) of_windows_[told.number] = told.communicator;
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
