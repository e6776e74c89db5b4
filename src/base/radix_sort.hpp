// Sorts large records by a number, least significant digit first: entries of 16 bytes are sorted, and each
// record is moved once. Needs 32 more bytes per record, and a copy of the records. At most 2^32 records.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/table_memory.hpp"

namespace ovni {

struct RadixEntry {
    uint64_t number = 0;
    uint32_t index = 0;
};

// Stable.
inline void radix_sort(TableVector<RadixEntry>& entries) {
    constexpr int bits = 11;
    constexpr uint64_t mask = (1u << bits) - 1;
    uint64_t highest = 0;
    for (const RadixEntry& entry : entries) highest |= entry.number;
    TableVector<RadixEntry> sorted(entries.size());
    for (int shift = 0; shift < 64 && highest >> shift != 0; shift += bits) {
        std::array<size_t, mask + 1> place{};
        for (const RadixEntry& entry : entries) ++place[entry.number >> shift & mask];
        size_t sum = 0;
        for (size_t& begin : place) sum += std::exchange(begin, sum);
        for (const RadixEntry& entry : entries) sorted[place[entry.number >> shift & mask]++] = entry;
        entries.swap(sorted);
    }
}

// Puts the record of entry i in position i. Copies, because in place each load would depend on the previous
// one.
template <class Records>
void permute(Records& records, const TableVector<RadixEntry>& entries) {
    Records sorted;
    sorted.reserve(records.size());
    for (const RadixEntry& entry : entries) sorted.push_back(std::move(records[entry.index]));
    records.swap(sorted);
}

// Sorts by number_of(record), an int64_t, and records with equal numbers by `comes_before`.
template <class Records, class NumberOf, class ComesBefore>
void radix_sort(Records& records, NumberOf number_of, ComesBefore comes_before) {
    using Record = typename Records::value_type;
    if (records.empty()) return;
    auto less = [&](const Record& a, const Record& b) {
        const int64_t first = number_of(a), second = number_of(b);
        return first != second ? first < second : comes_before(a, b);
    };
    if (std::ranges::is_sorted(records, less)) return;
    int64_t least = INT64_MAX;
    for (const Record& record : records) least = std::min<int64_t>(least, number_of(record));
    {
        TableVector<RadixEntry> entries(records.size());
        for (size_t i = 0; i < records.size(); ++i)
            entries[i] = {static_cast<uint64_t>(number_of(records[i])) - static_cast<uint64_t>(least),
                          static_cast<uint32_t>(i)};
        radix_sort(entries);
        permute(records, entries);
    }
    for (auto begin = records.begin(); begin != records.end();) {
        auto end = begin + 1;
        while (end != records.end() && number_of(*end) == number_of(*begin)) ++end;
        if (!std::is_sorted(begin, end, comes_before)) std::sort(begin, end, comes_before);
        begin = end;
    }
}

}  // namespace ovni
