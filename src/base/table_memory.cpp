#include "base/memory_limit.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <optional>

#include "base/huge_pages.hpp"

namespace ovni {

namespace {

constexpr size_t large = size_t{1} << 20;

// Blocks in files. Nothing here allocates, as operator new calls it.
class FileMemory {
 public:
    void begin(uint64_t limit, const char* directory) noexcept {
        const std::lock_guard lock(mutex_);
        std::strncpy(directory_.data(), directory, directory_.size() - 1);
        limit_.store(limit, std::memory_order_relaxed);
    }
    // Null if the block has to be in memory.
    void* allocate(size_t size) noexcept {
        if (in_memory_.load(std::memory_order_relaxed) + size <= limit_.load(std::memory_order_relaxed))
            return nullptr;
        const std::lock_guard lock(mutex_);
        const auto free = std::ranges::find(blocks_, nullptr, &Block::begin);
        if (free == blocks_.end()) return nullptr;
        void* begin = map(size);
        if (begin == nullptr) return refusal_ = errno, nullptr;
        *free = {begin, size};
        in_files_ += size;
        most_ = std::max(most_, in_files_);
        return begin;
    }
    // False if the block is not in a file.
    bool free(void* begin) noexcept {
        const std::lock_guard lock(mutex_);
        const auto block = std::ranges::find(blocks_, begin, &Block::begin);
        if (block == blocks_.end()) return false;
        munmap(begin, block->size);
        in_files_ -= block->size;
        *block = {};
        return true;
    }
    void count(size_t size) noexcept { in_memory_.fetch_add(size, std::memory_order_relaxed); }
    void uncount(size_t size) noexcept { in_memory_.fetch_sub(size, std::memory_order_relaxed); }
    std::pair<uint64_t, int> most() noexcept {
        const std::lock_guard lock(mutex_);
        return {most_, refusal_};
    }

 private:
    struct Block {
        void* begin = nullptr;
        size_t size = 0;
    };

    void* map(size_t size) noexcept {
        const int file = open_file();
        if (file < 0) return nullptr;
        // A disk that is full must be seen now: later it would be a SIGBUS.
        errno = posix_fallocate(file, 0, static_cast<off_t>(size));
        void* begin =
            errno == 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
        const int fault = errno;
        ::close(file);
        errno = fault;
        return begin == MAP_FAILED ? nullptr : begin;
    }
    int open_file() noexcept {
        const int file = ::open(directory_.data(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
        std::array<char, PATH_MAX + 32> path;
        std::strcpy(path.data(), directory_.data());
        std::strcat(path.data(), "/.ovni-memory.XXXXXX");
        const int named = mkostemp(path.data(), O_CLOEXEC);
        if (named >= 0) unlink(path.data());
        return named;
    }

    std::atomic<uint64_t> limit_ = UINT64_MAX, in_memory_ = 0;
    std::mutex mutex_;
    std::array<char, PATH_MAX> directory_{};
    std::array<Block, 1024> blocks_{};
    uint64_t in_files_ = 0, most_ = 0;
    int refusal_ = 0;
};

constinit FileMemory file_memory;

// No allocator gives twice as much as it is asked for. One that is about to begin may call operator new where
// it is asked for a size, so it is not asked about small blocks.
constexpr size_t maybe_large = large / 2;

void count_if_large(void* block) noexcept {
    const size_t usable = malloc_usable_size(block);
    if (usable < large) return;
    file_memory.count(usable);
    // Most are filled once, from begin to end: a page fault for every 4 KiB would take as long.
    want_huge_pages(block, usable);
}

}  // namespace

void limit_memory(uint64_t limit, const std::filesystem::path& directory) {
    file_memory.begin(limit, directory.c_str());
}

uint64_t fair_memory_limit(int processes) {
    constexpr uint64_t kib = 1024;
    std::ifstream facts("/proc/meminfo");
    std::string name, unit;
    for (uint64_t number = 0; facts >> name >> number; std::getline(facts, unit))
        if (name == "MemAvailable:") return number * kib / 2 / static_cast<uint64_t>(std::max(processes, 1));
    return UINT64_MAX;
}

MemoryInFiles memory_in_files() {
    const auto [most, refusal] = file_memory.most();
    return {most, refusal == 0 ? "" : std::strerror(refusal)};
}

}  // namespace ovni

void* operator new(size_t size) {
    if (size >= ovni::large)
        if (void* block = ovni::file_memory.allocate(size)) return block;
    for (;;) {
        if (void* block = std::malloc(std::max<size_t>(size, 1))) {
            if (size >= ovni::maybe_large) ovni::count_if_large(block);
            return block;
        }
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
}

// Sanitizers have one of their own, which fits no other delete than theirs.
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
    try {
        return operator new(size);
    } catch (...) {
        return nullptr;
    }
}

void operator delete(void* block) noexcept {
    if (block == nullptr) return;
    // malloc() never returns the begin of a page for blocks of this size, so nearly all are told at once.
    constexpr uintptr_t page = 4096;
    if (reinterpret_cast<uintptr_t>(block) % page == 0 && ovni::file_memory.free(block)) return;
    if (const size_t usable = malloc_usable_size(block); usable >= ovni::large)
        ovni::file_memory.uncount(usable);
    std::free(block);
}

void operator delete(void* block, size_t /*size*/) noexcept {
    operator delete(block);
}
