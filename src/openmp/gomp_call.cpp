#include "openmp/gomp_call.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>

namespace ovni::openmp {

namespace {

// Functions found from one library alone, by the calls that look for them. A row is filled once.
struct Row {
    std::atomic<const void*> caller;
    std::atomic<const char*> name;
    std::atomic<void*> function;
};
constexpr uint32_t most_rows = 1024;
constinit Row rows[most_rows];

void* find_from(const void* caller, const char* name) noexcept {
    Dl_info where{};
    if (dladdr(caller, &where) == 0 || !where.dli_fname) return nullptr;
    void* library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return nullptr;
    void* found = dlsym(library, name);
    dlclose(library);
    return found;
}

void* find_once_from(const void* caller, const char* name) noexcept {
    const auto first =
        static_cast<uint32_t>((reinterpret_cast<uintptr_t>(caller) * 0x9e3779b97f4a7c15u) >> 54);
    static_assert(most_rows == 1u << (64 - 54));
    for (uint32_t tries = 0; tries < most_rows; ++tries) {
        Row& row = rows[(first + tries) % most_rows];
        const void* present = row.caller.load(std::memory_order_acquire);
        if (!present && row.caller.compare_exchange_strong(present, caller, std::memory_order_acq_rel)) {
            void* found = find_from(caller, name);
            row.name.store(name, std::memory_order_relaxed);
            row.function.store(found, std::memory_order_release);
            return found;
        }
        if (present != caller) continue;
        void* found = row.function.load(std::memory_order_acquire);
        if (found && row.name.load(std::memory_order_relaxed) == name) return found;
    }
    return find_from(caller, name);
}

const void* library_of(const void* function) noexcept {
    Dl_info where{};
    return function && dladdr(function, &where) != 0 ? where.dli_fbase : nullptr;
}

// True if the entry points that the program reaches first are those of a runtime that has OMPT.
bool has_gomp_of_llvm() noexcept {
    const void* of_llvm = library_of(dlsym(RTLD_NEXT, "__kmpc_fork_call"));
    return of_llvm && of_llvm == library_of(dlsym(RTLD_NEXT, "GOMP_parallel"));
}

}  // namespace

void* GompFunction::find(const void* caller) noexcept {
    const int saved = errno;
    void* found = dlsym(RTLD_NEXT, name_);
    if (found)
        everybodys_.store(found, std::memory_order_release);
    else
        found = find_once_from(caller, name_);
    errno = saved;
    return found;
}

bool records_gomp() noexcept {
    enum Answer : int { unknown, yes, no };
    static std::atomic<int> answer{unknown};
    int known = answer.load(std::memory_order_relaxed);
    if (known == unknown) [[unlikely]] {
        const int saved = errno;
        known = is_wanted() && !has_gomp_of_llvm() ? yes : no;
        errno = saved;
        answer.store(known, std::memory_order_relaxed);
    }
    return known == yes;
}

}  // namespace ovni::openmp
