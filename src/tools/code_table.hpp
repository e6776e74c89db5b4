// A table by event code, for one look-up per event: open addressing, grows with the number of codes seen.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ovni/event_code.hpp"

namespace ovni {

template <class Value>
class CodeTable {
 public:
    CodeTable() : entries_(first_size) {}

    // The value of that code, at first Value(). Valid until the next call.
    Value& operator[](EventCode code) {
        Entry& entry = find(entries_, code);
        if (entry.used) [[likely]]
            return entry.value;
        return add(code);
    }
    // Calls `see(code, value)` for every code, in no certain order.
    template <class See>
    void for_each(See see) const {
        for (const Entry& entry : entries_)
            if (entry.used) see(entry.code, entry.value);
    }

 private:
    static constexpr size_t first_size = 1024;  // a power of two, like every other

    struct Entry {
        EventCode code;
        bool used = false;
        Value value{};
    };

    static Entry& find(std::vector<Entry>& entries, EventCode code) {
        constexpr uint32_t spread = 0x9e3779b1, digits = 32;
        unsigned shift = digits - static_cast<unsigned>(__builtin_ctzll(entries.size()));
        size_t at = code.bits() * spread >> shift;
        while (entries[at].used && entries[at].code != code) at = (at + 1) & (entries.size() - 1);
        return entries[at];
    }

    [[gnu::cold]] Value& add(EventCode code) {
        if (2 * ++used_ > entries_.size()) {
            std::vector<Entry> larger(2 * entries_.size());
            for (Entry& entry : entries_)
                if (entry.used) find(larger, entry.code) = std::move(entry);
            entries_ = std::move(larger);
        }
        Entry& entry = find(entries_, code);
        entry.code = code;
        entry.used = true;
        return entry.value;
    }

    std::vector<Entry> entries_;
    size_t used_ = 0;
};

}  // namespace ovni
