#include "openmp/places.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/code_place.hpp"
#include "core/probing.hpp"
#include "openmp/symbol_name.hpp"

namespace ovni::openmp {

namespace {

struct ConstructWords {
    const char* word;
    const char* alone;  // the label of a place without an address
    Address address;
};

// In the order of Construct.
constexpr ConstructWords all_words[] = {
    {"", "parallel region", Address::return_of_call},
    {"", "parallel region", Address::begin},
    {"task ", "task", Address::return_of_call},
    {"task ", "task", Address::begin},
    {"loop ", "loop", Address::return_of_call},
    {"sections ", "sections", Address::return_of_call},
    {"single ", "single", Address::return_of_call},
    {"workshare ", "workshare", Address::return_of_call},
    {"distribute ", "distribute", Address::return_of_call},
    {"scope ", "scope", Address::return_of_call},
    {"taskloop ", "taskloop", Address::return_of_call},
};
static_assert(sizeof all_words / sizeof *all_words == static_cast<size_t>(Construct::taskloop) + 1);

// A key is the address << construct_bits, and the construct + 1; 0: the row is free.
constexpr unsigned construct_bits = 8;

struct PlaceRow {
    std::atomic<uint64_t> key;
    std::atomic<const char*> label, code;
};

constinit PlaceRow place_rows[most_places];

PlaceRow& row_of(CodePlace place) {
    return place_rows[place - 1];
}

const ConstructWords& words_of(uint64_t key) {
    return all_words[(key & ((1u << construct_bits) - 1)) - 1];
}

const char* make_label(uint64_t key) noexcept {
    constexpr size_t longest = 256;
    char text[longest];
    const ConstructWords& words = words_of(key);
    const auto* address = reinterpret_cast<const void*>(key >> construct_bits);
    if (!address) return words.alone;
    const size_t begin = strlen(words.word);
    memcpy(text, words.word, begin);
    name_code(address, words.address, text + begin, sizeof text - begin);
    const char* label = strdup(text);
    return label ? label : words.alone;
}

// Functions are named by their first byte.
const char* make_code(uint64_t key) noexcept {
    char text[longest_code_place + 1] = "";
    const auto* address = reinterpret_cast<const char*>(key >> construct_bits);
    if (address) write_code_place(address + (words_of(key).address == Address::begin ? 1 : 0), text);
    const char* code = strdup(text);
    return code ? code : "";
}

// Two threads may make it at once; one of the texts stays.
const char* made_once(std::atomic<const char*>& text, const char* (*make)(uint64_t) noexcept,
                      uint64_t key) noexcept {
    const char* known = text.load(std::memory_order_acquire);
    if (known) return known;
    const char* made = make(key);
    text.compare_exchange_strong(known, made, std::memory_order_acq_rel);
    return known ? known : made;
}

}  // namespace

CodePlace place_of(const void* address, Construct construct) noexcept {
    const uint64_t key =
        reinterpret_cast<uint64_t>(address) << construct_bits | (static_cast<uint64_t>(construct) + 1);
    constexpr unsigned bits = 12;
    static_assert(most_places == 1u << bits);
    size_t at = golden_hash(key, bits);
    for (uint32_t tries = 0; tries < most_places; ++tries, at = (at + 1) % most_places) {
        uint64_t found = place_rows[at].key.load(std::memory_order_relaxed);
        if (found == 0 && place_rows[at].key.compare_exchange_strong(found, key, std::memory_order_relaxed))
            return static_cast<CodePlace>(at + 1);
        if (found == key) return static_cast<CodePlace>(at + 1);
    }
    return 0;
}

const void* address_of(CodePlace place) noexcept {
    return reinterpret_cast<const void*>(row_of(place).key.load(std::memory_order_relaxed) >> construct_bits);
}

const char* label_of(CodePlace place) noexcept {
    PlaceRow& row = row_of(place);
    return made_once(row.label, make_label, row.key.load(std::memory_order_relaxed));
}

const char* code_of(CodePlace place) noexcept {
    PlaceRow& row = row_of(place);
    return made_once(row.code, make_code, row.key.load(std::memory_order_relaxed));
}

}  // namespace ovni::openmp
