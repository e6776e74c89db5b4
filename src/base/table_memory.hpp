// A limit to the memory that large blocks take in this process. Those beyond it lie in files without a name,
// from which the kernel frees memory where it is short, and which end with the process. Programs that call
// limit_memory() get an operator new of their own for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ovni {

// For blocks of 1 MiB or more that are allocated from now on: the bytes that may be in memory, all together.
// `directory`: of the files.
void limit_memory(uint64_t limit, const std::filesystem::path& directory);

// Half of the memory that is free on this node, divided among so many processes: bytes.
uint64_t fair_memory_limit(int processes);

struct MemoryInFiles {
    uint64_t most = 0;    // bytes, at any time so far
    std::string refusal;  // why a block could not be put in a file, and is in memory; else empty
};
MemoryInFiles memory_in_files();

}  // namespace ovni
