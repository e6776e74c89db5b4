#include "packed/packer_memory.hpp"

#include <sys/mman.h>

namespace ovni::packed {

PackerMemoryPointer make_packer_memory() {
    void* memory =
        mmap(nullptr, sizeof(PackerMemory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return PackerMemoryPointer(memory == MAP_FAILED ? nullptr : static_cast<PackerMemory*>(memory));
}

void UnmapPackerMemory::operator()(PackerMemory* memory) const {
    munmap(memory, sizeof *memory);
}

}  // namespace ovni::packed
