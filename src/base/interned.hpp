// A constant value that many hold and that is kept once: equal values are one object, which lives as long as
// somebody holds it. A copy costs a pointer. Safe between threads.
#pragma once

#include <boost/flyweight.hpp>
#include <boost/flyweight/set_factory.hpp>
#include <utility>

namespace ovni {

// T has operator<.
template <class T>
class Interned {
 public:
    Interned() = default;  // T()
    Interned(T value) : value_(std::move(value)) {}

    const T& operator*() const { return value_.get(); }
    const T* operator->() const { return &value_.get(); }
    // One object, so this costs no more than comparing pointers.
    friend bool operator==(const Interned& a, const Interned& b) { return &*a == &*b; }
    friend bool operator==(const Interned& a, const T& b) { return *a == b; }

 private:
    boost::flyweight<T, boost::flyweights::set_factory<>> value_;
};

}  // namespace ovni
