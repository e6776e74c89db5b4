// A constant value that many hold and that is kept once: equal values are one object, which lives as long as
// somebody holds it. A copy costs a pointer. Safe between threads.
#pragma once

#include <boost/flyweight.hpp>
#include <utility>

namespace ovni {

// T has operator== and hash_value(), as boost::hash asks for it.
template <class T>
class Interned {
 public:
    Interned() : value_(empty()) {}  // T()
    Interned(T value) : value_(std::move(value)) {}
    // Copies count the holders, which cannot fail. What is moved from keeps its value.
    Interned(const Interned&) noexcept = default;
    Interned& operator=(const Interned&) noexcept = default;

    const T& operator*() const { return value_.get(); }
    const T* operator->() const { return &value_.get(); }
    friend bool operator==(const Interned& a, const Interned& b) { return &*a == &*b; }
    friend bool operator==(const Interned& a, const T& b) { return *a == b; }

 private:
    // Kept until the program ends: to copy it costs less than to find it.
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
