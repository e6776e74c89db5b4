// An optional value that is usually absent: an absent one takes only a pointer.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace ovni {

template <class T>
class Rare {
 public:
    Rare() = default;
    Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Rare(std::optional<T> value) : value_(value ? std::make_unique<T>(std::move(*value)) : nullptr) {}
    Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(Rare other) noexcept {
        value_.swap(other.value_);
        return *this;
    }
    ~Rare() = default;

    bool has_value() const { return value_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_.get(); }
    friend bool operator==(const Rare& a, const Rare& b) {
        return a.has_value() == b.has_value() && (!a || *a == *b);
    }

 private:
    std::unique_ptr<T> value_;
};

}  // namespace ovni
