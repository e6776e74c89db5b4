// The loaded copies of OpenMP runtimes, and which of them each library of the program calls. A call reaches
// the function that it would have reached without the tracer: the globally visible one, if it existed when
// the calling library was loaded, else that of the libraries that it is linked with.
//
// Threads of a team must not call the loader: the maker of the team may be in dlopen(), and wait for them.
#pragma once

#include <atomic>
#include <cstddef>

namespace ovni::openmp {

class Runtime;

// One runtime function that has a wrapper here.
class GompFunction {
 public:
    constexpr explicit GompFunction(const char* name) : name_(name) {}

    // The runtime that a call of this function from `caller` reaches; null if there is none.
    const Runtime* runtime(const void* caller) const noexcept {
        if (const Runtime* found = everybodys_.load(std::memory_order_acquire)) [[likely]]
            return found;
        return find(caller);
    }

 private:
    friend class GompFunctions;
    const Runtime* find(const void* caller) const noexcept;

    const char* name_;
    std::atomic<const Runtime*> everybodys_{nullptr};  // loaded with the program, visible to all of it
};

// Define each GompFunction with this macro, so that all are in one table.
#define OVNI_GOMP_FUNCTION [[gnu::section("ovni_gomp")]] static constinit GompFunction

// A library with such functions. It stays loaded, so that they stay valid.
class Runtime {
 public:
    // Null if the runtime lacks the function.
    void* function(const GompFunction& function) const noexcept;
    // False if it reports through OMPT: then those reports are recorded instead.
    bool is_recorded() const noexcept { return is_recorded_.load(std::memory_order_relaxed); }

 private:
    friend class Runtimes;
    static constexpr size_t most_functions = 160;  // further ones are looked up at each call

    std::atomic<const void*> key_{nullptr};  // null: the row is free
    std::atomic<bool> stays_{false};
    std::atomic<bool> is_recorded_{false};
    std::atomic<void*> functions_[most_functions] = {};
};

// Registers the runtime with the code at this address, and keeps it loaded. Call before its threads begin.
const Runtime* know_runtime(const void* code) noexcept;

}  // namespace ovni::openmp
