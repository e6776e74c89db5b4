// The files whose code is in the process, numbered as their code is met. A file that was unloaded and comes
// back at the same address is the same module; another file at that address is another one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ovni::mpi {

// Counts what may have been unloaded: an address that was known before may mean other code now.
inline std::atomic<uint32_t> unloadings{0};

struct CodePlace {
    static constexpr uint32_t no_module = UINT32_MAX;
    uint32_t module = no_module;
    uint64_t offset = 0;  // an address as the file has it; without a module that in memory
};

// Takes a lock of the loader, and may read a link of the file system: for rare steps.
CodePlace place_of(const void* address) noexcept;

// Writes "BUILD_ID BASE PATH" of a module that place_of() has returned: build id and address in hexadecimal
// digits, "-" for no build id. Cuts the path where `room` ends.
void describe_module(uint32_t module, char* text, size_t room) noexcept;

}  // namespace ovni::mpi
