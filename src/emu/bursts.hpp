// What an event costs the program, as it measured it: a burst is 100 events OB. of a thread in a row. Local
// to one emulator, so that ranks can put theirs together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace ovni {

struct Burst {
    int64_t time = 0;  // of its last event
    uint32_t thread_row = 0;
    double median = 0, mean = 0, longest = 0;  // ns of an event
};

struct Bursts {
    static constexpr size_t most = 1000;  // that are kept: the first ones

    std::vector<Burst> first;
    uint64_t count = 0;

    void add(const Burst& burst) {
        ++count;
        if (first.size() < most) first.push_back(burst);
    }
    void put_in_order() {
        std::ranges::sort(first, {}, [](const Burst& b) { return std::tuple(b.time, b.thread_row); });
        if (first.size() > most) first.resize(most);
    }
};

}  // namespace ovni
