// Packs structs into bytes of this machine to send them to other ranks. A struct lists its fields once,
//
//     inline auto fields(GapFact& gap) { return std::tie(gap.thread_row, gap.from, gap.to); }
//
// and pack() and unpack() both use that list. An interned value is written at its first occurrence, and later
// as a number.
#pragma once

#include <any>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/interned.hpp"
#include "base/ranks.hpp"
#include "base/rare.hpp"

namespace ovni::wire {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class Struct>
concept Fielded = requires(Struct& item) {
    fields(item);
};

class Packer {
 public:
    template <Plain T>
    void put(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put(const std::string& text) {
        put(uint64_t{text.size()});
        bytes_ += text;
    }
    template <class T>
    void put(const std::optional<T>& item) {
        put(item.has_value());
        if (item) put(*item);
    }
    template <class T>
    void put(const Rare<T>& item) {
        put(item.has_value());
        if (item) put(*item);
    }
    template <class T>
    void put(const std::vector<T>& items) {
        put(uint64_t{items.size()});
        for (const T& item : items) put(item);
    }
    template <class Key, class T>
    void put(const std::map<Key, T>& items) {
        put(uint64_t{items.size()});
        for (const auto& [key, item] : items) put(key), put(item);
    }
    template <class A, class B>
    void put(const std::pair<A, B>& both) {
        put(both.first), put(both.second);
    }
    template <class T>
    void put(const Interned<T>& item) {
        const auto [known, is_new] = numbers_.try_emplace(&*item, static_cast<uint32_t>(numbers_.size()));
        put(known->second);
        if (is_new) put(*item);
    }
    template <Fielded Struct>
    void put(const Struct& item) {
        // fields() returns references to mutable fields, which are only read here.
        std::apply([&](const auto&... field) { (put(field), ...); }, fields(const_cast<Struct&>(item)));
    }

    std::string take() { return std::move(bytes_); }

 private:
    std::string bytes_;
    std::unordered_map<const void*, uint32_t> numbers_;  // of interned values
};

// Throws Error if the bytes were not written by Packer.
class Unpacker {
 public:
    explicit Unpacker(std::string_view bytes) : left_(bytes) {}

    template <Plain T>
    void take(T& value) {
        std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    }
    void take(bool& value) {
        uint8_t byte = 0;
        take(byte);
        value = byte != 0;
    }
    void take(std::string& text) { text = bytes(size()); }
    template <class T>
    void take(std::optional<T>& item) {
        bool has_value = false;
        take(has_value);
        item.reset();
        if (has_value) take(*(item = T{}));
    }
    template <class T>
    void take(Rare<T>& item) {
        std::optional<T> value;
        take(value);
        item = std::move(value);
    }
    template <class T>
    void take(std::vector<T>& items) {
        items.clear();
        for (uint64_t left = size(); left > 0; --left) take(items.emplace_back());
    }
    template <class Key, class T>
    void take(std::map<Key, T>& items) {
        items.clear();
        for (uint64_t left = size(); left > 0; --left) {
            Key key{};
            take(key);
            take(items[std::move(key)]);
        }
    }
    template <class A, class B>
    void take(std::pair<A, B>& both) {
        take(both.first), take(both.second);
    }
    template <class T>
    void take(Interned<T>& item) {
        uint32_t number = 0;
        take(number);
        if (number == interned_.size()) {
            T value{};
            // Interned values inside it get later numbers, as in Packer.
            interned_.emplace_back();
            take(value);
            interned_[number] = Interned<T>(std::move(value));
        }
        const auto* known =
            number < interned_.size() ? std::any_cast<Interned<T>>(&interned_[number]) : nullptr;
        if (!known) fail();
        item = *known;
    }
    template <Fielded Struct>
    void take(Struct& item) {
        std::apply([&](auto&... field) { (take(field), ...); }, fields(item));
    }

    void expect_end() const {
        if (!left_.empty()) fail();
    }

 private:
    [[noreturn]] static void fail() { throw Error("a message between ranks is damaged"); }

    std::string_view bytes(uint64_t count) {
        if (count > left_.size()) fail();
        const std::string_view taken = left_.substr(0, count);
        left_.remove_prefix(count);
        return taken;
    }
    // Every item has at least one byte, so a wrong count is found before memory is allocated.
    uint64_t size() {
        uint64_t count = 0;
        take(count);
        if (count > left_.size()) fail();
        return count;
    }

    std::string_view left_;
    std::vector<std::any> interned_;  // by number
};

template <class Item>
std::string pack(const Item& item) {
    Packer packer;
    packer.put(item);
    return packer.take();
}
// The item that was passed to pack(); `Item` must be its type. Throws Error if `text` is not a result of
// pack().
template <class Item>
Item unpack(std::string_view packed) {
    Unpacker unpacker(packed);
    Item item{};
    unpacker.take(item);
    unpacker.expect_end();
    return item;
}

// The items of all ranks, those of rank 0 first. Collective; the result is equal on all ranks.
template <class Item>
std::vector<Item> allgather(const Ranks& ranks, const std::vector<Item>& mine) {
    if (ranks.is_alone()) return mine;
    std::vector<Item> all;
    for (const std::string& of_rank : ranks.allgather(pack(mine)))
        for (Item& item : unpack<std::vector<Item>>(of_rank)) all.push_back(std::move(item));
    return all;
}

}  // namespace ovni::wire
