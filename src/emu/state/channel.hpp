// The current value of one thing: a single value, or the top of a stack. The tracker decides which rows show
// it. Operations throw Error (without place: the emulator adds it) if the model forbids them, and then leave
// the channel as it was.
//
// Made for tens of events per microsecond over thousands of threads: a stack of up to 4 values lies in the
// channel itself. Below them is a slot for "nothing", so that push and pop need no special case for the empty
// stack. A deeper stack moves to the heap once and stays there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emu/records/value.hpp"
#include "model/model_spec.hpp"

namespace ovni {

class Channel {
 public:
    static constexpr size_t deepest = 512;

    Channel() = default;
    Channel(Channel&& other) noexcept;
    Channel& operator=(Channel&&) = delete;
    ~Channel();

    Value read() const { return depth_ == 0 ? Value() : Value(values_[depth_]); }
    size_t depth() const { return depth_; }

    void set(Value value, Duplicates duplicates);
    void push(int64_t value, Duplicates duplicates);
    void pop(int64_t expected);
    // Empties the channel.
    void close() { depth_ = 0; }

    // Does push() (+1 level) or pop() (-1) of a value other than 0. Returns false, and does nothing, if
    // push() or pop() has to look closer.
    bool try_step(int levels, int64_t value, Duplicates duplicates) {
        bool same = values_[depth_] == value;
        bool pushes = levels > 0;
        if (same == pushes && !(same && duplicates == Duplicates::allowed)) return false;
        if (depth_ == capacity_) return false;
        // A pop writes what is there already.
        values_[depth_ + static_cast<unsigned>(pushes)] = value;
        depth_ = static_cast<uint16_t>(depth_ + levels);
        return true;
    }
    // The number shown; 0 if there is none.
    int64_t top() const { return values_[depth_]; }

 private:
    static constexpr uint16_t inline_depth = 4;
    void grow();

    std::array<int64_t, inline_depth + 1> inline_{};
    int64_t* values_ = inline_.data();
    uint16_t depth_ = 0;
    uint16_t capacity_ = inline_depth;
};

}  // namespace ovni
