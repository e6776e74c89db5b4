// Copies of an OpenMP runtime that are loaded, and which of them the libraries of the program call. A call
// goes where it would have gone without us: to the functions that all of the program sees, if they were there
// when the calling library was loaded, or else to those of the libraries that it is linked with.
//
// Threads of a team ask the loader nothing: the maker of the team may be in dlopen(), and wait for them.
#pragma once

#include <atomic>
#include <cstddef>

namespace ovni::openmp {

class Runtime;

// One function of runtimes that comes to us first.
class GompFunction {
 public:
    constexpr explicit GompFunction(const char* name) : name_(name) {}

    // The runtime that the code at `caller` reaches with it; null if there is none.
    const Runtime* runtime(const void* caller) const noexcept {
        if (const Runtime* found = everybodys_.load(std::memory_order_acquire)) [[likely]]
            return found;
        return find(caller);
    }

 private:
    friend class GompFunctions;
    const Runtime* find(const void* caller) const noexcept;

    const char* name_;
    std::atomic<const Runtime*> everybodys_{nullptr};  // there from the begin, for all of the program
};

// How each GompFunction is defined: so that all of them lie in one table.
#define OVNI_GOMP_FUNCTION [[gnu::section("ovni_gomp")]] static constinit GompFunction

// One library that has such functions. It stays loaded, so that they stay valid.
class Runtime {
 public:
    // Null if it does not have that function.
    void* function(const GompFunction& function) const noexcept;
    // False if it reports to a tool (OMPT): then that is recorded.
    bool is_recorded() const noexcept { return is_recorded_.load(std::memory_order_relaxed); }

 private:
    friend class Runtimes;
    static constexpr size_t most_functions = 160;  // further ones are looked up at each call

    std::atomic<const void*> key_{nullptr};  // null: the row is free
    std::atomic<bool> stays_{false};
    std::atomic<bool> is_recorded_{false};
    std::atomic<void*> functions_[most_functions] = {};
};

// Makes the runtime with the code at this address known, and keeps it loaded. Call before its threads begin.
const Runtime* know_runtime(const void* code) noexcept;

}  // namespace ovni::openmp
