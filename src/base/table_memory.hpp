// Memory for the tables of a trace: its messages, calls, waits and collectives. Beyond a limit, blocks of
// 128 KiB or more lie in files without a name, from which the kernel frees memory where it is short, and
// which end with the process.
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

// One of the process; any thread may use it. It lives to the end.
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

// For blocks that are allocated from now on: the bytes that may be in memory, all together. `directory`: of
// the files.
void limit_table_memory(uint64_t limit, const std::filesystem::path& directory);

// Half of the memory that is free on this node, divided among so many processes: bytes.
uint64_t fair_memory_limit(int processes);

struct MemoryInFiles {
    uint64_t most = 0;    // bytes, at any time so far
    std::string refusal;  // why a block could not be put in a file, and is in memory; else empty
};
MemoryInFiles memory_in_files();

}  // namespace ovni
