// The next function of that name, which ours stands before.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace ovni::threads {

template <class Function>
class Real {
 public:
    explicit constexpr Real(const char* name) noexcept : name_(name) {}
    // Null if there is none.
    Function* get() noexcept {
        Function* known = function_.load(std::memory_order_relaxed);
        if (known) return known;
        known = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
        function_.store(known, std::memory_order_relaxed);
        return known;
    }

 private:
    const char* name_;
    std::atomic<Function*> function_{nullptr};
};

}  // namespace ovni::threads
