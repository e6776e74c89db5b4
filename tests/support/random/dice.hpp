// Choices that depend on the seed alone: the standard's distributions differ between libraries.
#pragma once

#include <cstdint>
#include <random>
#include <utility>

namespace ovni::test::random_trace {

class Dice {
 public:
    explicit Dice(uint32_t seed) : numbers_(seed) {}

    uint32_t number() { return static_cast<uint32_t>(numbers_()); }
    int below(int end) { return static_cast<int>(number() % static_cast<uint32_t>(end)); }
    bool percent(int chance) { return below(100) < chance; }
    template <class List>
    auto& one_of(List& list) {
        return list[number() % list.size()];
    }
    template <class List>
    void shuffle(List& list) {
        for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[number() % i]);
    }

 private:
    std::mt19937 numbers_;
};

}  // namespace ovni::test::random_trace
