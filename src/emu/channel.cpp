#include "emu/channel.hpp"

#include "base/error.hpp"

namespace ovni {

namespace {

[[noreturn]] void repeated(Value value) {
    if (!value.is_set) throw Error("the channel is empty already");
    throw Error(fmt::format("the channel has the value {} already", value.number));
}

}  // namespace

void Channel::set(Value value, Duplicates duplicates) {
    if (duplicates == Duplicates::forbidden && value == value_) [[unlikely]]
        repeated(value);
    value_ = value;
}

void Channel::push(int64_t value, Duplicates duplicates) {
    if (duplicates == Duplicates::forbidden && value_ == Value(value)) [[unlikely]]
        repeated(value);
    if (stack_.size() == deepest) [[unlikely]]
        throw Error(fmt::format("more than {} values on the stack", deepest));
    stack_.push_back(value);
    value_ = value;
}

void Channel::pop(int64_t expected) {
    if (stack_.empty()) [[unlikely]]
        throw Error(fmt::format("cannot leave {}: the stack is empty", expected));
    if (stack_.back() != expected) [[unlikely]]
        throw Error(fmt::format("cannot leave {}: {} is on top of the stack", expected, stack_.back()));
    stack_.pop_back();
    value_ = stack_.empty() ? Value() : Value(stack_.back());
}

}  // namespace ovni
