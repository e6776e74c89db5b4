// The files whose code is in the process, numbered in the order in which their code is found. A file that is
// loaded again at its old address keeps its number; another file at that address gets a new one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ovni::mpi {

// Counts possible unloads: after one, a known address may mean other code.
inline std::atomic<uint32_t> unloadings{0};

struct CodePlace {
    static constexpr uint32_t no_module = UINT32_MAX;
    uint32_t module = no_module;
    uint64_t offset = 0;  // address in the file; without a module, the address in memory
};

// Slow: takes a lock of the loader, and may read a symbolic link.
CodePlace place_of(const void* address) noexcept;

// Writes "BUILD_ID BASE PATH" of a module that place_of() has returned: build id and address in hexadecimal
// digits, "-" for no build id. Cuts the path where `room` ends.
void describe_module(uint32_t module, char* text, size_t room) noexcept;

}  // namespace ovni::mpi
