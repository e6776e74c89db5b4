// Memory for the tables of a trace: its messages, calls, waits and collectives. Beyond a limit, blocks of 128
// KiB or more are mapped from unnamed files. The kernel can write these out when memory is short. The files
// end with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

namespace ovni {

// The only one of the process; any thread may use it. Lives until the process ends.
std::pmr::memory_resource& table_memory();

template <class T>
struct TableAllocator {
    using value_type = T;

    TableAllocator() = default;
    template <class Other>
    TableAllocator(const TableAllocator<Other>& /*other*/) {}

    T* allocate(size_t count) {
        return static_cast<T*>(table_memory().allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* begin, size_t count) noexcept {
        table_memory().deallocate(begin, count * sizeof(T), alignof(T));
    }
    template <class Other>
    bool operator==(const TableAllocator<Other>& /*other*/) const {
        return true;
    }
};

template <class T>
using TableVector = std::vector<T, TableAllocator<T>>;

template <class T>
struct FreeTableBlock {
    size_t count = 0;
    void operator()(T* begin) const noexcept { TableAllocator<T>().deallocate(begin, count); }
};
template <class T>
using TableBlock = std::unique_ptr<T[], FreeTableBlock<T>>;
// Not initialised.
template <class T>
TableBlock<T> make_table_block(size_t count) {
    static_assert(std::is_trivial_v<T>);
    return TableBlock<T>(TableAllocator<T>().allocate(count), {count});
}

// Sets the limit, in bytes, for all blocks in memory together. Applies to later allocations. `directory`: of
// the files.
void limit_table_memory(uint64_t limit, const std::filesystem::path& directory);

// Half of the free memory of this node, divided by the number of processes, in bytes.
uint64_t fair_memory_limit(int processes);

struct MemoryInFiles {
    uint64_t most = 0;    // greatest number of bytes so far
    std::string refusal;  // why a block is in memory instead of a file; empty if none is
};
MemoryInFiles memory_in_files();

}  // namespace ovni
