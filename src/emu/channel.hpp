// The current value of one thing: a single value, or the top of a stack. Knows nobody; who shows it is the
// tracker's work. Operations throw Error (without place: the emulator adds it) where the model forbids them,
// and leave the channel as it was.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model_spec.hpp"

namespace ovni {

// Nothing, or a number.
struct Value {
    int64_t number = 0;
    bool is_set = false;

    Value() = default;
    Value(int64_t n) : number(n), is_set(true) {}  // NOLINT: a number is a value
    friend bool operator==(const Value&, const Value&) = default;
};

class Channel {
 public:
    static constexpr size_t deepest = 512;

    const Value& read() const { return value_; }
    size_t depth() const { return stack_.size(); }

    void set(Value value, Duplicates duplicates);
    void push(int64_t value, Duplicates duplicates);
    void pop(int64_t expected);
    // Back to nothing, whatever it held.
    void close() {
        stack_.clear();
        value_ = {};
    }

 private:
    Value value_;
    std::vector<int64_t> stack_;
};

}  // namespace ovni
