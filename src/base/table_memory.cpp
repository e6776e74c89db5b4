#include "base/table_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <unordered_set>

#include "base/huge_pages.hpp"

namespace ovni {

namespace {

constexpr size_t large = size_t{1} << 17;

int open_file_in(const std::filesystem::path& directory) {
    const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
    std::string path = directory / ".ovni-memory.XXXXXX";
    const int named = mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0) unlink(path.c_str());
    return named;
}

// Null, and errno, if it cannot be made.
void* map_file_in(const std::filesystem::path& directory, size_t size) {
    const int file = open_file_in(directory);
    if (file < 0) return nullptr;
    // A disk that is full must be seen now: later it would be a SIGBUS.
    errno = posix_fallocate(file, 0, static_cast<off_t>(size));
    void* begin = errno == 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    const int fault = errno;
    ::close(file);
    errno = fault;
    return begin == MAP_FAILED ? nullptr : begin;
}

// Blocks in memory or, if they are large and there are too many, in files. Only large ones are counted.
class Blocks : public std::pmr::memory_resource {
 public:
    void limit(uint64_t limit, const std::filesystem::path& directory) {
        const std::lock_guard lock(mutex_);
        limit_ = limit;
        directory_ = directory;
    }
    MemoryInFiles in_files() {
        const std::lock_guard lock(mutex_);
        return {most_in_files_, refusal_ == 0 ? "" : std::strerror(refusal_)};
    }

 private:
    void* do_allocate(size_t size, size_t alignment) override {
        if (size < large) return ::operator new(size, std::align_val_t(alignment));
        const std::lock_guard lock(mutex_);
        if (in_memory_ + size > limit_)
            if (void* block = in_file(size)) return block;
        void* block = ::operator new(size, std::align_val_t(alignment));
        in_memory_ += size;
        // Most are filled once, from begin to end: a page fault for every 4 KiB would take as long.
        want_huge_pages(block, size);
        return block;
    }
    void do_deallocate(void* block, size_t size, size_t alignment) override {
        if (size < large) return ::operator delete(block, size, std::align_val_t(alignment));
        const std::lock_guard lock(mutex_);
        if (files_.erase(block) > 0) {
            munmap(block, size);
            in_files_ -= size;
        } else {
            ::operator delete(block, size, std::align_val_t(alignment));
            in_memory_ -= size;
        }
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    void* in_file(size_t size) {
        void* block = map_file_in(directory_, size);
        if (!block) return refusal_ = errno, nullptr;
        files_.insert(block);
        in_files_ += size;
        most_in_files_ = std::max(most_in_files_, in_files_);
        return block;
    }

    std::mutex mutex_;
    uint64_t limit_ = UINT64_MAX;
    std::filesystem::path directory_;
    uint64_t in_memory_ = 0, in_files_ = 0, most_in_files_ = 0;
    std::unordered_set<void*> files_;
    int refusal_ = 0;
};

// Never destroyed: tables may live as long as the process.
Blocks& blocks() {
    static auto& all = *new Blocks;
    return all;
}

}  // namespace

std::pmr::memory_resource& table_memory() {
    return blocks();
}

void limit_table_memory(uint64_t limit, const std::filesystem::path& directory) {
    blocks().limit(limit, directory);
}

MemoryInFiles memory_in_files() {
    return blocks().in_files();
}

uint64_t fair_memory_limit(int processes) {
    constexpr uint64_t kib = 1024;
    std::ifstream facts("/proc/meminfo");
    std::string name, unit;
    for (uint64_t number = 0; facts >> name >> number; std::getline(facts, unit))
        if (name == "MemAvailable:") return number * kib / 2 / static_cast<uint64_t>(std::max(processes, 1));
    return UINT64_MAX;
}

}  // namespace ovni
