// The real function behind a wrapper of equal name, as dlsym(RTLD_NEXT) finds it. Looked up once.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace ovni {

template <class Function>
class NextFunction {
 public:
    explicit constexpr NextFunction(const char* name) noexcept : name_(name) {}
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

}  // namespace ovni
