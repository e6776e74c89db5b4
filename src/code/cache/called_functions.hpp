// The functions that our libraries call: some for their own work, others in place of the program, which
// called our function of an equal name. Functions that are called by address, such as a thread's function,
// belong to the program.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ovni::code {

class CalledFunctions {
 public:
    // Call once, before any code is translated.
    void find();
    // True if our libraries import the function and call it for their own work.
    bool is_helper(uint64_t function) const noexcept;
    // True if `function` is the real function that our function `ours` replaces.
    bool is_behind(uint64_t ours, uint64_t function) const noexcept;
    // True for the loader's function for lazy binding, which looks up a function at its first call and jumps
    // there.
    bool is_binder(uint64_t function) const noexcept;

 private:
    std::vector<uint64_t> helpers_, binders_;
    std::vector<std::pair<uint64_t, uint64_t>> behind_;  // ours first
};

}  // namespace ovni::code
