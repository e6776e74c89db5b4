// The members of a JSON object, as metadata reads them. Throws Error that names the member and the file for
// one that is missing, of another type or out of range.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

// The members of one object, by "dot path" for errors.
class Members {
 public:
    Members(const Json* object, std::string prefix, const std::string& path)
        : object_(object), prefix_(std::move(prefix)), path_(path) {}

    const Json* find(const char* key) const {
        if (!object_ || !object_->is_object()) return nullptr;
        auto member = object_->find(key);
        return member == object_->end() ? nullptr : &*member;
    }
    [[noreturn]] void fail(const char* key, std::string_view what) const {
        throw Error(fmt::format("{}{}: {}", prefix_, key, what), path_);
    }
    Members object(const char* key) const {
        const Json* value = find(key);
        if (value && !value->is_object()) fail(key, "is not an object");
        return {value, fmt::format("{}{}.", prefix_, key), path_};
    }
    std::optional<std::string> text(const char* key) const {
        const Json* value = find(key);
        if (!value) return std::nullopt;
        if (!value->is_string()) fail(key, "is not a string");
        return value->get<std::string>();
    }
    // Numbers are truncated towards zero.
    template <class Int>
    std::optional<Int> number(const char* key) const {
        const Json* value = find(key);
        if (!value) return std::nullopt;
        if (!value->is_number()) fail(key, "is not a number");
        if (value->is_number_float()) {
            constexpr Int power_of_2 = std::numeric_limits<Int>::max() / 2 + 1;
            constexpr auto half = static_cast<double>(power_of_2);
            double real = std::trunc(value->get<double>());
            if (!(real >= -2 * half && real < 2 * half)) fail(key, "is out of range");
            return static_cast<Int>(real);
        }
        bool fits = value->is_number_unsigned() ? std::in_range<Int>(value->get<uint64_t>())
                                                : std::in_range<Int>(value->get<int64_t>());
        if (!fits) fail(key, "is out of range");
        return value->get<Int>();
    }
    template <class Value>
    Value must(std::optional<Value> value, const char* key) const {
        if (!value) fail(key, "is missing");
        return std::move(*value);
    }
    const Json* json() const { return object_; }
    const std::string& path() const { return path_; }

 private:
    const Json* object_;
    std::string prefix_;
    const std::string& path_;
};

}  // namespace ovni
