// The types of the thread file that an output shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"

namespace ovni {

class ShownTypes {
 public:
    static constexpr uint32_t none = UINT32_MAX;

    ShownTypes() = default;
    // The types of the file, except for those in `left_out`.
    ShownTypes(const FileSchema& file, std::span<const uint16_t> left_out) {
        for (uint32_t place = 0; place < file.types.size(); ++place)
            if (std::ranges::find(left_out, file.types[place].type) == left_out.end())
                add(file.types[place].type, place);
    }

    // `place`: in FileSchema::types. A type may be added again: the last place counts.
    void add(uint32_t type, uint32_t place) {
        if (type >= numbers_.size()) numbers_.resize(size_t{type} + 1, none);
        numbers_[type] = static_cast<uint32_t>(places_.size());
        places_.push_back(place);
    }
    // Element n is the place of type number n in FileSchema::types.
    const std::vector<uint32_t>& places() const { return places_; }
    // `none` if it is not shown.
    uint32_t number_of(uint32_t type) const { return type < numbers_.size() ? numbers_[type] : none; }
    uint32_t place_of(uint32_t type) const {
        const uint32_t number = number_of(type);
        return number == none ? none : places_[number];
    }
    bool shows(const Record& record) const {
        return record.thread_row != Record::no_row && number_of(record.type) != none;
    }

 private:
    std::vector<uint32_t> places_;
    std::vector<uint32_t> numbers_;  // by type
};

}  // namespace ovni
