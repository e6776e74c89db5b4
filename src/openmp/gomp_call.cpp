#include "openmp/gomp_call.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <span>

namespace ovni::openmp {

// All functions, as the linker lays them: its own names for the borders of a section.
extern "C" {
[[gnu::visibility(
    "hidden")]] extern GompFunction __start_ovni_gomp[];               // NOLINT(bugprone-reserved-identifier)
[[gnu::visibility("hidden")]] extern GompFunction __stop_ovni_gomp[];  // NOLINT(bugprone-reserved-identifier)
}
static_assert(sizeof(GompFunction) == 16, "the linker leaves no gaps");

class GompFunctions {
 public:
    static size_t index_of(const GompFunction& function) noexcept {
        return static_cast<size_t>(&function - __start_ovni_gomp);
    }
    static void find_everybodys() noexcept {
        for (GompFunction& function : all())
            if (void* found = dlsym(RTLD_NEXT, function.name_))
                function.everybodys_.store(found, std::memory_order_release);
    }
    static void find_in(void* library, std::span<std::atomic<void*>> found) noexcept {
        for (const GompFunction& function : all())
            found[index_of(function)].store(dlsym(library, function.name_), std::memory_order_release);
    }

 private:
    static std::span<GompFunction> all() noexcept { return {__start_ovni_gomp, __stop_ovni_gomp}; }
};

namespace {

struct Library {
    const void* begin = nullptr;
    const char* path = nullptr;
};

// A path tells libraries apart that come to one address, one after the other.
const void* key_of(const Library& library) noexcept {
    auto key = reinterpret_cast<uintptr_t>(library.begin);
    for (const char* at = library.path; *at; ++at) key = key * 31 + static_cast<unsigned char>(*at);
    return reinterpret_cast<const void*>(key);
}

Library library_at(const void* code) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    dl_find_object found{};  // waits for no lock of the loader
    if (_dl_find_object(const_cast<void*>(code), &found) != 0) return {};
    return {found.dlfo_map_start, found.dlfo_link_map->l_name};
#else
    Dl_info found{};
    if (dladdr(code, &found) == 0) return {};
    return {found.dli_fbase, found.dli_fname};
#endif
}

// The functions that one library alone sees. A row is taken once.
struct Row {
    std::atomic<const void*> library;
    std::atomic<void*> functions[128];
};
constinit Row rows[64];

// Null if all rows are taken.
Row* row_of(const Library& library) noexcept {
    const void* key = key_of(library);
    for (Row& row : rows) {
        const void* present = nullptr;
        if (row.library.compare_exchange_strong(present, key, std::memory_order_acq_rel) || present == key)
            return &row;
    }
    return nullptr;
}

void find_from(const Library& library, Row& row) noexcept {
    void* opened = dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD);
    if (!opened) return;
    GompFunctions::find_in(opened, row.functions);
    dlclose(opened);
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
    const size_t index = GompFunctions::index_of(*this);
    const Library library = library_at(caller);
    Row* row = library.begin ? row_of(library) : nullptr;
    void* found = row ? row->functions[index].load(std::memory_order_acquire) : nullptr;
    if (!found) {
        GompFunctions::find_everybodys();
        found = everybodys_.load(std::memory_order_acquire);
    }
    if (!found && row) {
        find_from(library, *row);
        found = row->functions[index].load(std::memory_order_acquire);
    }
    dlerror();  // the program shall not find what was missing here
    errno = saved;
    return found;
}

void find_gomp_functions() noexcept {
    const int saved = errno;
    GompFunctions::find_everybodys();
    records_gomp();
    dlerror();
    errno = saved;
}

namespace {

// The program may be linked with a runtime that has another tool.
[[gnu::constructor]] void find_at_begin() {
    if (dlsym(RTLD_NEXT, "omp_get_thread_num"))
        find_gomp_functions();
    else
        dlerror();
}

}  // namespace

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
