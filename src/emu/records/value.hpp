// The content of a channel: nothing, or a number.
#pragma once

#include <cstdint>

namespace ovni {

struct Value {
    int64_t number = 0;
    bool is_set = false;

    Value() = default;
    Value(int64_t n) : number(n), is_set(true) {}  // NOLINT: a number is a value
    friend bool operator==(const Value&, const Value&) = default;
};

}  // namespace ovni
