// An event of the model mpi in its stream: its step, its function, and the places of its details in the
// payload (ovni/mpi_events.h lists them). Costs a look into two tables, for readers of every event of a
// trace; mpi_details.hpp is the convenient form.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "mpi_function_rows.hpp"
#include "ovni/event_code.hpp"

namespace ovni {

enum class MpiStep : uint8_t {
    other,  // no event of this model, or one that is not listed here
    enter,
    leave,
    posts,
    send_started,
    receive_started,
    started,
    request_ended,
    message,
    bytes,
    site
};

enum class MpiField : uint8_t {
    none,
    peer,
    tag,
    root,
    object,
    request,
    count,
    how,
    site,
    start,
    made,
    bytes
};

// The places of the details in a payload, which may begin with the number of a function.
struct MpiPlaces {
    static constexpr size_t fields = static_cast<size_t>(MpiField::bytes) + 1;
    std::array<uint8_t, fields> at{};  // 0: the field is missing, or is `first`
    uint8_t first = 0;                 // the field that is at 0
    uint8_t bytes_size = 0;
};

// Points into the payload.
class MpiEvent {
 public:
    // The details are missing if the payload has none, or has an unknown size.
    MpiEvent(EventCode code, std::span<const uint8_t> payload);

    MpiStep step() const { return step_; }
    const MpiFunctionRow* function() const { return function_; }  // of enter and leave
    bool has(MpiField field) const {
        auto index = static_cast<uint8_t>(field);
        return places_->at[index] != 0 || places_->first == index;
    }
    // A field of 32 bits, without sign.
    std::optional<uint32_t> number(MpiField field) const {
        if (!has(field)) return std::nullopt;
        uint32_t value = 0;
        std::memcpy(&value, payload_ + places_->at[static_cast<size_t>(field)], sizeof value);
        return value;
    }
    std::optional<int32_t> rank(MpiField field) const {
        auto value = number(field);
        return value ? std::optional(static_cast<int32_t>(*value)) : std::nullopt;
    }
    std::optional<uint64_t> bytes() const {
        if (!has(MpiField::bytes)) return std::nullopt;
        uint64_t value = 0;
        const uint8_t* from = payload_ + places_->at[static_cast<size_t>(MpiField::bytes)];
        if (places_->bytes_size == sizeof value) [[likely]]
            std::memcpy(&value, from, sizeof value);
        else
            std::memcpy(&value, from, short_bytes);
        return value;
    }

    static constexpr uint8_t short_bytes = 6;  // of a count of bytes behind a number

 private:
    MpiStep step_ = MpiStep::other;
    const MpiFunctionRow* function_ = nullptr;
    const uint8_t* payload_ = nullptr;
    const MpiPlaces* places_;
};

}  // namespace ovni
