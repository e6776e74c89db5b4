#include "openmp/runtimes.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstdint>
#include <span>

#include "core/loaded_library.hpp"
#include "openmp/mode.hpp"
#include "openmp/thread.hpp"

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
    static std::span<GompFunction> all() noexcept { return {__start_ovni_gomp, __stop_ovni_gomp}; }
    static size_t index_of(const GompFunction& function) noexcept {
        return static_cast<size_t>(&function - __start_ovni_gomp);
    }
    static const char* name_of(const GompFunction& function) noexcept { return function.name_; }
    static void give_all(GompFunction& function, const Runtime* runtime) noexcept {
        function.everybodys_.store(runtime, std::memory_order_release);
    }
};

namespace {

constexpr size_t most_runtimes = 64;
constinit Runtime runtimes[most_runtimes];

}  // namespace

// The table of runtimes. A row is taken once. As long as its library may be unloaded, the row is filled again
// at each use.
class Runtimes {
 public:
    // The row of the library, or null if all are taken.
    static Runtime* row_of(const LoadedLibrary& library) noexcept {
        for (Runtime& runtime : runtimes) {
            const void* present = nullptr;
            if (runtime.key_.compare_exchange_strong(present, library.dynamic(), std::memory_order_acq_rel) ||
                present == library.dynamic())
                return &runtime;
        }
        return nullptr;
    }
    static bool stays(const Runtime& runtime) noexcept {
        return runtime.stays_.load(std::memory_order_acquire);
    }
    static void stay(Runtime& runtime) noexcept { runtime.stays_.store(true, std::memory_order_release); }
    static void leave(Runtime& runtime) noexcept { runtime.stays_.store(false, std::memory_order_release); }
    // Calls visit(runtime, library) for the rows of libraries that are still loaded.
    template <class Visit>
    static void for_each(Visit visit) noexcept {
        for (Runtime& runtime : runtimes) {
            const void* key = runtime.key_.load(std::memory_order_acquire);
            const LoadedLibrary library = key && stays(runtime) ? LoadedLibrary::at(key) : LoadedLibrary();
            if (library) visit(runtime, library);
        }
    }
    static void fill(Runtime& runtime, const LoadedLibrary& library) noexcept {
        for (const GompFunction& function : GompFunctions::all()) {
            const size_t index = GompFunctions::index_of(function);
            if (index >= Runtime::most_functions) break;
            runtime.functions_[index].store(library.function(GompFunctions::name_of(function)),
                                            std::memory_order_relaxed);
        }
        runtime.is_recorded_.store(is_wanted() && !library.function("__kmpc_fork_call"),
                                   std::memory_order_relaxed);
    }
    static void set(Runtime& runtime, const GompFunction& function, void* found) noexcept {
        const size_t index = GompFunctions::index_of(function);
        if (index < Runtime::most_functions)
            runtime.functions_[index].store(found, std::memory_order_release);
    }
    // Null if no runtime that stays has the function.
    static const Runtime* any_with(const GompFunction& function) noexcept {
        for (const Runtime& runtime : runtimes)
            if (stays(runtime) && runtime.function(function)) return &runtime;
        return nullptr;
    }
};

void* Runtime::function(const GompFunction& function) const noexcept {
    const size_t index = GompFunctions::index_of(function);
    if (index < most_functions) [[likely]]
        return functions_[index].load(std::memory_order_acquire);
    return LoadedLibrary::at(key_.load(std::memory_order_acquire)).function(GompFunctions::name_of(function));
}

namespace {

// Takes a lock of the loader, and clears dlerror().
bool keep_loaded(const LoadedLibrary& library) noexcept {
    if (!*library.path()) return true;
    void* opened = dlopen(library.path(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return opened && static_cast<const link_map*>(opened)->l_ld == library.dynamic();
}

// How a thread may find a function.
struct Asks {
    bool may_ask_loader = false;
    const Runtime* of_team = nullptr;
    bool has_asked = false;
};

// It stays from here on: keep_runtimes() sees to it before the program can unload it.
Runtime* known(const LoadedLibrary& library) noexcept {
    Runtime* runtime = Runtimes::row_of(library);
    if (!runtime || Runtimes::stays(*runtime)) return runtime;
    Runtimes::fill(*runtime, library);
    Runtimes::stay(*runtime);
    return runtime;
}

// The runtimes that libraries of the program have reached, by a hash of the library: the rest of the hash,
// and the number of the runtime's row + 1. A library may take the place of another.
class Callers {
 public:
    static const Runtime* find(uint64_t hash) noexcept {
        const uint64_t word = word_of(hash).load(std::memory_order_acquire);
        const uint64_t row = word & row_mask;
        return row != 0 && (word ^ hash) <= row_mask ? &runtimes[row - 1] : nullptr;
    }
    static void keep(uint64_t hash, const Runtime& runtime) noexcept {
        const auto row = static_cast<uint64_t>(&runtime - runtimes) + 1;
        word_of(hash).store((hash & ~row_mask) | row, std::memory_order_release);
    }
    static void forget_all() noexcept {
        for (auto& word : words_) word.store(0, std::memory_order_release);
    }
    // The path distinguishes libraries that are loaded at one address, one after the other.
    static uint64_t hash_of(const LoadedLibrary& library) noexcept {
        constexpr uint64_t prime = 0x100000001b3;
        auto hash = reinterpret_cast<uint64_t>(library.dynamic()) ^ 0xcbf29ce484222325;
        for (const char* at = library.path(); *at; ++at)
            hash = (hash ^ static_cast<unsigned char>(*at)) * prime;
        hash = (hash ^ library.base()) * prime;
        return hash ^ hash >> 32;
    }

 private:
    static constexpr uint64_t row_mask = 0xff;
    static_assert(most_runtimes < row_mask);
    static constexpr size_t size = 256;
    static std::atomic<uint64_t>& word_of(uint64_t hash) noexcept { return words_[(hash >> 8) % size]; }

    static constinit std::atomic<uint64_t> words_[size];
};
constinit std::atomic<uint64_t> Callers::words_[size];

// The libraries that have a function, as far as they concern a caller.
struct Having {
    LoadedLibrary needed;  // the first that the caller is linked with
    LoadedLibrary any;
    bool has_earlier_other = false;  // loaded before the caller: all of the program may see it
};

Having having(const char* function, const LoadedLibrary& caller) noexcept {
    Having found;
    bool is_earlier = true;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        if (library == caller) is_earlier = false;
        if (library.is_ours() || !library.function(function)) return true;
        if (!found.any) found.any = library;
        if (!found.needed && caller.needs(library))
            found.needed = library;
        else if (is_earlier)
            found.has_earlier_other = true;
        return true;
    });
    return found;
}

bool is_earlier(const LoadedLibrary& first, const LoadedLibrary& second) noexcept {
    LoadedLibrary found;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        if (library == first || library == second) found = library;
        return !found;
    });
    return found == first;
}

// The library of what the loader has found.
LoadedLibrary library_of(const void* function) noexcept {
    const LoadedLibrary library = function ? LoadedLibrary::at(function) : LoadedLibrary();
    return library.is_ours() ? LoadedLibrary() : library;
}

LoadedLibrary linked_with(const LoadedLibrary& caller, const char* function) noexcept {
    void* opened = *caller.path() ? dlopen(caller.path(), RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (!opened) return {};
    const LoadedLibrary library = library_of(dlsym(opened, function));
    dlclose(opened);
    return library;
}

LoadedLibrary ask_loader(const char* function, const LoadedLibrary& caller, const Having& found) noexcept {
    const LoadedLibrary everybodys = library_of(dlsym(RTLD_NEXT, function));
    if (everybodys && is_earlier(everybodys, caller)) return everybodys;
    const LoadedLibrary linked = found.needed ? found.needed : linked_with(caller, function);
    return linked ? linked : everybodys;
}

const Runtime* search(const GompFunction& function, const LoadedLibrary& caller, uint64_t hash,
                      Asks& asks) noexcept {
    const char* name = GompFunctions::name_of(function);
    const Having found = having(name, caller);
    if (!found.any) return nullptr;
    LoadedLibrary library = found.needed;
    const bool is_certain = library && !found.has_earlier_other;
    if (!is_certain && asks.may_ask_loader) {
        asks.has_asked = true;
        library = ask_loader(name, caller, found);
    }
    if (!library && asks.of_team && asks.of_team->function(function)) return asks.of_team;
    if (!library)
        if (const Runtime* runtime = Runtimes::any_with(function)) return runtime;
    const Runtime* runtime = known(library ? library : found.any);
    if (runtime && library && (is_certain || asks.may_ask_loader) && Runtimes::stays(*runtime))
        Callers::keep(hash, *runtime);
    return runtime ? runtime : Runtimes::any_with(function);
}

Asks asks_of_this_thread() noexcept {
    Report report;
    if (!report) return {};
    return {!report->works_for_another(), report->runtime_of_team()};
}

}  // namespace

const Runtime* GompFunction::find(const void* caller) const noexcept {
    const LoadedLibrary library = LoadedLibrary::at(caller);
    const uint64_t hash = Callers::hash_of(library);
    const Runtime* runtime = Callers::find(hash);
    if (runtime && runtime->function(*this)) [[likely]]
        return runtime;
    const int saved = errno;
    Asks asks = asks_of_this_thread();
    runtime = search(*this, library, hash, asks);
    if (asks.has_asked) dlerror();  // the program shall not find what was missing here
    errno = saved;
    return runtime;
}

const Runtime* know_runtime(const void* code) noexcept {
    const LoadedLibrary library = LoadedLibrary::at(code);
    return library ? known(library) : nullptr;
}

namespace {

// One that cannot be kept has to be looked at anew at each call.
void keep_runtimes() noexcept {
    const int saved = errno;
    Runtimes::for_each([](Runtime& runtime, const LoadedLibrary& library) {
        if (keep_loaded(library)) return;
        Runtimes::leave(runtime);
        Callers::forget_all();
    });
    errno = saved;
}

constinit std::atomic<int (*)(void*)> real_dlclose{nullptr};

// Functions that are there now are found first by all libraries, those that are loaded later, too.
[[gnu::constructor]] void find_at_begin() {
    const int saved = errno;
    const bool is_any = dlsym(RTLD_NEXT, "omp_get_thread_num") != nullptr;
    for (GompFunction& function : GompFunctions::all()) {
        void* found = is_any ? dlsym(RTLD_NEXT, GompFunctions::name_of(function)) : nullptr;
        const LoadedLibrary library = library_of(found);
        Runtime* runtime = library ? Runtimes::row_of(library) : nullptr;
        if (!runtime) continue;
        if (!Runtimes::stays(*runtime)) Runtimes::fill(*runtime, library);
        Runtimes::stay(*runtime);
        Runtimes::set(*runtime, function, found);
        if (runtime->function(function)) GompFunctions::give_all(function, runtime);
    }
    dlerror();
    errno = saved;
}

}  // namespace

}  // namespace ovni::openmp

#pragma GCC visibility push(default)

// The one way in which a program unloads libraries. It sets dlerror() anyway.
extern "C" int dlclose(void* library) noexcept {
    using namespace ovni::openmp;
    auto* real = real_dlclose.load(std::memory_order_relaxed);
    if (!real) {
        real = reinterpret_cast<int (*)(void*)>(ovni::LoadedLibrary::next_function("dlclose"));
        real_dlclose.store(real, std::memory_order_relaxed);
    }
    if (!real) return -1;
    keep_runtimes();
    return real(library);
}

#pragma GCC visibility pop
