// Libraries as they lie in memory: found and read without a lock of the loader that is held while programs'
// code runs. A thread of a team may look at them while the maker of the team is in dlopen().
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace ovni::openmp {

struct Symbol {
    const char* name = nullptr;
    uintptr_t address = 0;  // in the file
};

// The program, or a library that is loaded. May be looked at as long as it stays loaded.
class LoadedLibrary {
 public:
    // None.
    LoadedLibrary() = default;
    LoadedLibrary(uintptr_t base, const ElfW(Dyn) * dynamic, const char* path, const void* begin) noexcept
        : base_(base), dynamic_(dynamic), path_(path), begin_(begin) {}

    // The library that an address is in.
    static LoadedLibrary at(const void* address) noexcept;
    // Calls visit(const LoadedLibrary&) for all, in the order in which they were loaded, until it says false.
    // Do nothing there that may wait.
    template <class Visit>
    static void for_each(Visit visit) noexcept {
        auto see = [](dl_phdr_info* info, size_t, void* how) {
            const LoadedLibrary library(*info);
            return library && !(*static_cast<Visit*>(how))(library) ? 1 : 0;
        };
        dl_iterate_phdr(see, &visit);
    }

    explicit operator bool() const noexcept { return dynamic_ != nullptr; }
    bool operator==(const LoadedLibrary& other) const noexcept { return dynamic_ == other.dynamic_; }
    bool is_ours() const noexcept;

    uintptr_t base() const noexcept { return base_; }          // addresses in the file are less by it
    const void* dynamic() const noexcept { return dynamic_; }  // no two libraries share it
    const void* begin() const noexcept { return begin_; }      // the begin of the file, as it is mapped
    size_t size() const noexcept;                              // from there on; 0 if it is not known
    const char* path() const noexcept { return path_; }        // as the loader knows it; "": the program

    // A function that it exports, in the version that programs are linked with today; null if there is none.
    void* function(const char* name) const noexcept;
    // The exported function that covers an address in the file.
    Symbol function_at(uint64_t address) const noexcept;
    // True if it names `other` among the libraries that it is linked with.
    bool needs(const LoadedLibrary& other) const noexcept;

 private:
    explicit LoadedLibrary(const dl_phdr_info& info) noexcept;
    template <class Row>
    const Row* table(int64_t tag) const noexcept;
    const char* own_name() const noexcept;

    uintptr_t base_ = 0;
    const ElfW(Dyn) * dynamic_ = nullptr;
    const char* path_ = "";
    const void* begin_ = nullptr;
};

// True if the symbol is a function here and its code is at an address in the file.
bool covers(const ElfW(Sym) & symbol, uint64_t address) noexcept;

}  // namespace ovni::openmp
