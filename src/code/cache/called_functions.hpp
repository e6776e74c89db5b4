// The functions that our libraries call: some for themselves, others in place of the program, which called
// one of ours with the same name. Functions that are called by their address, as where a thread begins, are
// the program's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ovni::code {

class CalledFunctions {
 public:
    // Call once, before any code is translated.
    void find();
    // True if our libraries name the function and call it for themselves.
    bool is_helper(uint64_t function) const noexcept;
    // True if the function has the name of that one of ours.
    bool is_behind(uint64_t ours, uint64_t function) const noexcept;
    // True for the function of the loader that looks up what is called first, and goes on there.
    bool is_binder(uint64_t function) const noexcept;

 private:
    std::vector<uint64_t> helpers_, binders_;
    std::vector<std::pair<uint64_t, uint64_t>> behind_;  // ours first
};

}  // namespace ovni::code
