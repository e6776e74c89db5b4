#include "mpi/interpose/library/imports.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "core/loaded_library.hpp"
#include "mpi/interpose/library/layers.hpp"
#include "mpi/interpose/library/pmpi.hpp"

namespace ovni::mpi {

namespace {

bool begins_with(const char* name, const char* word) noexcept {
    return strncmp(name, word, strlen(word)) == 0;
}

// "MPI_Send", "mpi_send_".
bool is_of_mpi(const char* name) noexcept {
    return begins_with(name, "MPI_") || begins_with(name, "mpi_");
}

// "MPI_Send" of "PMPI_Send", "mpi_send_" of "pmpi_send_"; null for other names.
const char* without_p(const char* name) noexcept {
    return (*name == 'P' || *name == 'p') && is_of_mpi(name + 1) ? name + 1 : nullptr;
}

LoadedLibrary own_library() noexcept {
    return LoadedLibrary::at(reinterpret_cast<const void*>(&bind_imports));
}

bool comes_first() noexcept {
    LoadedLibrary first;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        if (is_tracing_library(library)) first = library;
        return !first;
    });
    return first == own_library();
}

void write(const LoadedLibrary& library, void** place, void* function) noexcept {
    if (*place == function) return;
    const bool is_sealed = library.is_sealed(place);
    const auto size = static_cast<size_t>(getpagesize());
    void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(place) & ~(size - 1));
    if (is_sealed && mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
    if (is_sealed) mprotect(page, size, PROT_READ);
}

// The libraries that are there when the addresses of one of them are looked through.
class Binding {
 public:
    Binding(std::span<Border> borders, bool is_first) noexcept
        : borders_(borders),
          is_first_(is_first),
          own_(own_library()),
          mpi_(mpi_library()),
          program_(own_program()),
          has_layer_(program_has_layer()) {}

    void bind(const LoadedLibrary& library) noexcept {
        if (library == mpi_ || is_tracing_library(library)) return;
        library.for_each_import([&](const char* name, void** place) {
            const char* wrapped = without_p(name);
            if (!wrapped && !is_of_mpi(name)) return;
            // Another thread is loading it: the loader has written no address there yet, or will change it.
            if (*place && !LoadedLibrary::at(*place)) {
                is_complete_ = false;
                return;
            }
            void* function = wrapped ? function_for_layer(library, name, wrapped)
                                     : function_for_program(library, name, *place);
            if (function) write(library, place, function);
        });
    }

    // False if a library was being loaded.
    bool is_complete() const noexcept { return is_complete_; }

 private:
    void* wrapper_in_c(const char* name) const noexcept { return own_.function(name); }
    void* wrapper_in_fortran(const char* name) const noexcept {
        char text[96];
        const int length = snprintf(text, sizeof text, "ovni_%s", name);
        return length < static_cast<int>(sizeof text) ? own_.function(text) : nullptr;
    }

    // A layer that exports no function of its own is recognised by how it begins, which is unique.
    bool program_has_layer() const noexcept {
        bool has_layer = false, begins_below = false, begins = false;
        program_.for_each_import([&](const char* name, void**) {
            const char* wrapped = without_p(name);
            has_layer |= wrapped && program_.function(wrapped);
            begins_below |= wrapped && is_beginning(wrapped);
            begins |= is_beginning(name);
        });
        return has_layer || (begins_below && !begins);
    }
    static bool is_beginning(const char* name) noexcept {
        return begins_with(name, "MPI_Init") || begins_with(name, "mpi_init");
    }

    // A call by the P name, which no layer behind us would get.
    void* function_for_layer(const LoadedLibrary& library, const char* name, const char* wrapped) noexcept {
        if (library == program_ && has_layer_ && is_first_) {
            if (void* wrapper = wrapper_in_c(wrapped)) return function_of_layer(wrapped) ? nullptr : wrapper;
            return wrapper_in_fortran(wrapped);
        }
        if (library == program_ || !library.function(wrapped)) return nullptr;
        auto border =
            std::ranges::find_if(borders_, [&](const Border& one) { return strcmp(one.name, name) == 0; });
        if (border == borders_.end()) return nullptr;
        border->crossed_by = library.dynamic();
        return border->function;
    }

    void* function_for_program(const LoadedLibrary& library, const char* name, const void* now) noexcept {
        if (!is_first_ || program_.function(name)) return nullptr;
        if (void* wrapper = wrapper_in_c(name))
            return is_beside_wrappers(library, name, now) ? wrapper : nullptr;
        void* wrapper = wrapper_in_fortran(name);
        return wrapper && is_routine(name) ? wrapper : nullptr;
    }

    // Not bound to a wrapper, nor to a layer. An address that is not known yet lies in the library itself.
    bool is_beside_wrappers(const LoadedLibrary& library, const char* name, const void* now) const noexcept {
        if (mpi_.holds(now)) return true;
        if (!library.holds(now)) return false;
        bool is_layered = false;
        LoadedLibrary::for_each([&](const LoadedLibrary& other) {
            is_layered = other != mpi_ && !is_tracing_library(other) && other.function(name);
            return !is_layered;
        });
        return !is_layered;
    }

    // Some library defines mpi_x for Fortran: then pmpi_x is there, too, but for those of the module mpi_f08.
    static bool is_routine(const char* name) noexcept {
        char text[96];
        if (strstr(name, "_f08")) return true;
        snprintf(text, sizeof text, "%c%s", *name == 'M' ? 'P' : 'p', name);
        return find_symbol(text) != nullptr;
    }

    std::span<Border> borders_;
    const bool is_first_;  // of the tracing libraries: a second one gets its calls from that
    bool is_complete_ = true;
    const LoadedLibrary own_, mpi_, program_;
    const bool has_layer_;
};

// The number of libraries that were loaded so far, in all namespaces, and of those that are here.
struct Loaded {
    uint64_t ever = 0;
    size_t now = 0;
};

Loaded count_loaded() noexcept {
    Loaded loaded;
    auto see = [](dl_phdr_info* info, size_t, void* where) {
        auto& counted = *static_cast<Loaded*>(where);
        counted = {info->dlpi_adds, counted.now + 1};
        return 0;
    };
    dl_iterate_phdr(see, &loaded);
    return loaded;
}

std::atomic<bool> may_bind{false};
std::span<Border> all_borders;
bool is_first_tracer = false;

// How many had been loaded when all there were had been bound, and when there was no MPI library yet.
std::atomic<uint64_t> bound{0}, in_vain{0};

void bind_new() noexcept {
    const Loaded loaded = count_loaded();
    const uint64_t before = bound.load(std::memory_order_acquire);
    if (loaded.ever == before || loaded.ever == in_vain.load(std::memory_order_relaxed)) return;
    if (!mpi_library()) return in_vain.store(loaded.ever, std::memory_order_relaxed);
    Binding binding(all_borders, is_first_tracer);
    // New ones are the last.
    const size_t fresh = static_cast<size_t>(std::min<uint64_t>(loaded.ever - before, loaded.now));
    size_t skipped = loaded.now - fresh;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        if (skipped > 0)
            --skipped;
        else
            binding.bind(library);
        return true;
    });
    if (binding.is_complete()) bound.store(loaded.ever, std::memory_order_release);
}

}  // namespace

void start_binding(std::span<Border> borders) noexcept {
    all_borders = borders;
    is_first_tracer = comes_first();
    may_bind.store(true, std::memory_order_release);
    bind_imports();
}

void bind_imports() noexcept {
    if (!may_bind.load(std::memory_order_acquire)) return;
    // One at a time: a program's own dl_iterate_phdr() may look functions up, which leads here.
    static std::atomic<bool> is_binding{false};
    if (is_binding.exchange(true, std::memory_order_acquire)) return;
    bind_new();
    is_binding.store(false, std::memory_order_release);
}

}  // namespace ovni::mpi
