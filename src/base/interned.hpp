// A shared constant value: equal values are one object, which lives as long as an Interned refers to it. A
// copy costs a pointer. Thread-safe.
#pragma once

#include <boost/flyweight.hpp>
#include <utility>

namespace ovni {

// T needs operator== and hash_value(), as for boost::hash.
template <class T>
class Interned {
 public:
    Interned() : value_(empty()) {}  // T()
    Interned(T value) : value_(std::move(value)) {}
    // Copies only count references, which cannot fail. A moved-from object keeps its value.
    Interned(const Interned&) noexcept = default;
    Interned& operator=(const Interned&) noexcept = default;

    const T& operator*() const { return value_.get(); }
    const T* operator->() const { return &value_.get(); }
    friend bool operator==(const Interned& a, const Interned& b) { return &*a == &*b; }
    friend bool operator==(const Interned& a, const T& b) { return *a == b; }

 private:
    // Kept until the program ends: a copy costs less than a lookup.
    static const boost::flyweight<T>& empty() {
        static const boost::flyweight<T> one;
        return one;
    }

    boost::flyweight<T> value_;
};

template <class T>
size_t hash_value(const Interned<T>& interned) {
    return boost::hash<const void*>()(&*interned);
}

}  // namespace ovni
