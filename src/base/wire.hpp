// Structs on their way between ranks, as CBOR. A struct says its fields once,
//
//     inline auto fields(GapFact& gap) { return std::tie(gap.thread_row, gap.from, gap.to); }
//
// and pack() and unpack() both follow that list. Texts are bytes, not UTF-8: programs name things as they
// like.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/ranks.hpp"

namespace ovni::wire {

using Json = nlohmann::json;

template <class Number>
requires std::is_arithmetic_v<Number> Json put(const Number& number) {
    return number;
}
template <class Number>
requires std::is_arithmetic_v<Number>
void take(const Json& json, Number& number) {
    if (std::is_integral_v<Number> && json.is_number_float())
        throw Error("a message between ranks is damaged: a fraction in the place of a whole number");
    number = json.get<Number>();
}

template <class Enum>
requires std::is_enum_v<Enum> Json put(const Enum& value) {
    return static_cast<std::underlying_type_t<Enum>>(value);
}
template <class Enum>
requires std::is_enum_v<Enum>
void take(const Json& json, Enum& value) {
    value = static_cast<Enum>(json.get<std::underlying_type_t<Enum>>());
}

inline Json put(const std::string& text) {
    return Json::binary({text.begin(), text.end()});
}
inline void take(const Json& json, std::string& text) {
    const auto& bytes = json.get_binary();
    text.assign(bytes.begin(), bytes.end());
}

// Declared first, so that they find one another.
template <class Item>
Json put(const std::optional<Item>& item);
template <class Item>
void take(const Json& json, std::optional<Item>& item);
template <class Item>
Json put(const std::vector<Item>& items);
template <class Item>
void take(const Json& json, std::vector<Item>& items);

template <class Struct>
concept Fielded = requires(Struct& item) {
    fields(item);
};

template <Fielded Struct>
Json put(const Struct& item) {
    Json json = Json::array();
    // fields() gives references, which are only read here.
    std::apply([&](const auto&... field) { (json.push_back(put(field)), ...); },
               fields(const_cast<Struct&>(item)));
    return json;
}
template <Fielded Struct>
void take(const Json& json, Struct& item) {
    size_t next = 0;
    std::apply([&](auto&... field) { (take(json.at(next++), field), ...); }, fields(item));
}

template <class Item>
Json put(const std::optional<Item>& item) {
    return item ? Json::array({put(*item)}) : Json();
}
template <class Item>
void take(const Json& json, std::optional<Item>& item) {
    item.reset();
    if (!json.is_null()) take(json.at(0), item.emplace());
}

template <class Item>
Json put(const std::vector<Item>& items) {
    Json json = Json::array();
    for (const Item& item : items) json.push_back(put(item));
    return json;
}
template <class Item>
void take(const Json& json, std::vector<Item>& items) {
    items.clear();
    for (const Json& item : json) take(item, items.emplace_back());
}

template <class Item>
std::string pack(const Item& item) {
    std::vector<uint8_t> bytes = Json::to_cbor(put(item));
    return {bytes.begin(), bytes.end()};
}
// The item that pack() was given; `Item` must be its type. Throws Error for any other text.
template <class Item>
Item unpack(const std::string& packed) {
    try {
        Item item;
        take(Json::from_cbor(packed), item);
        return item;
    } catch (const Json::exception& fault) {
        throw Error(fmt::format("a message between ranks is damaged: {}", fault.what()));
    }
}

// The items of all ranks, those of rank 0 first. Collective; alike on all ranks.
template <class Item>
std::vector<Item> allgather(const Ranks& ranks, const std::vector<Item>& mine) {
    if (ranks.is_alone()) return mine;
    std::vector<Item> all;
    for (const std::string& of_rank : ranks.allgather(pack(mine)))
        for (Item& item : unpack<std::vector<Item>>(of_rank)) all.push_back(std::move(item));
    return all;
}

}  // namespace ovni::wire
