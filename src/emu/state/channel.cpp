#include "emu/state/channel.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ovni {

namespace {

[[noreturn]] void repeated(Value value) {
    if (!value.is_set) throw Error("the channel is empty already");
    throw Error(fmt::format("the channel has the value {} already", value.number));
}

}  // namespace

Channel::Channel(Channel&& other) noexcept
    : inline_(other.inline_), depth_(other.depth_), capacity_(other.capacity_) {
    if (other.values_ == other.inline_.data()) return;
    values_ = other.values_;
    other.values_ = other.inline_.data();
    other.capacity_ = inline_depth;
    other.depth_ = 0;
}

Channel::~Channel() {
    if (values_ != inline_.data()) delete[] values_;
}

void Channel::grow() {
    auto capacity = static_cast<uint16_t>(2 * capacity_);
    auto* values = new int64_t[capacity + size_t{1}];
    std::copy(values_, values_ + depth_ + 1, values);
    if (values_ != inline_.data()) delete[] values_;
    values_ = values;
    capacity_ = capacity;
}

void Channel::set(Value value, Duplicates duplicates) {
    if (duplicates == Duplicates::forbidden && value == read()) [[unlikely]]
        repeated(value);
    depth_ = value.is_set ? 1 : 0;
    if (value.is_set) values_[1] = value.number;
}

void Channel::push(int64_t value, Duplicates duplicates) {
    if (duplicates == Duplicates::forbidden && read() == Value(value)) [[unlikely]]
        repeated(value);
    if (depth_ == deepest) [[unlikely]]
        throw Error(fmt::format("more than {} values on the stack", deepest));
    if (depth_ == capacity_) grow();
    values_[++depth_] = value;
}

void Channel::pop(int64_t expected) {
    if (depth_ == 0) [[unlikely]]
        throw Error(fmt::format("cannot leave {}: the stack is empty", expected));
    if (values_[depth_] != expected) [[unlikely]]
        throw Error(fmt::format("cannot leave {}: {} is on top of the stack", expected, values_[depth_]));
    --depth_;
}

}  // namespace ovni
