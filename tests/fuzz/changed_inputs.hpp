// Kept inputs changed at random, for builds without libFuzzer. The nth input follows from the seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/seed_archive.hpp"

namespace ovni::fuzz {

class ChangedInputs {
 public:
    ChangedInputs(std::vector<Seed> kept, uint64_t seed) : kept_(std::move(kept)), random_(seed) {}

    std::string next() {
        std::string input = some_kept();
        for (size_t changes = 1 + below(4); changes > 0; --changes) change(input);
        input.resize(std::min(input.size(), longest));
        return input;
    }

 private:
    static constexpr size_t longest = 4096;  // as of libFuzzer (scripts/fuzz)

    size_t below(size_t end) { return end == 0 ? 0 : static_cast<size_t>(random_() % end); }
    const std::string& some_kept() { return kept_[below(kept_.size())].content; }

    void change(std::string& input) {
        constexpr void (ChangedInputs::*changes[])(std::string&, size_t at) = {
            &ChangedInputs::flip,   &ChangedInputs::replace, &ChangedInputs::number,
            &ChangedInputs::remove, &ChangedInputs::again,   &ChangedInputs::part_of_another};
        (this->*changes[below(std::size(changes))])(input, below(input.size()));
    }
    void flip(std::string& input, size_t at) {
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
    }
    void replace(std::string& input, size_t at) {
        if (!input.empty()) input[at] = static_cast<char>(below(256));
    }
    // Little endian, of 1 to 8 bytes.
    void number(std::string& input, size_t at) {
        const uint64_t numbers[] = {0,          1,         2,          0x7f,       0x80,
                                    0xff,       0x7fff,    0xffff,     0x7fffffff, 1u << 31,
                                    0xffffffff, INT64_MAX, UINT64_MAX, 1ull << 63, input.size()};
        const uint64_t value = numbers[below(std::size(numbers))];
        const size_t bytes = std::min(size_t{1} << below(4), input.size() - at);
        for (size_t i = 0; i < bytes; ++i) input[at + i] = static_cast<char>(value >> (8 * i));
    }
    void remove(std::string& input, size_t at) { input.erase(at, 1 + below(below(64) + 1)); }
    void again(std::string& input, size_t at) {
        input.insert(below(input.size() + 1), std::string(input, at, 1 + below(64)));
    }
    void part_of_another(std::string& input, size_t at) {
        const std::string& other = some_kept();
        input.insert(at, other, below(other.size()), 1 + below(256));
    }

    std::vector<Seed> kept_;
    std::mt19937_64 random_;
};

}  // namespace ovni::fuzz
