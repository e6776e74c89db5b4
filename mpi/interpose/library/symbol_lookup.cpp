// dlsym() for programs that look functions of MPI up in the MPI library itself, as bindings of other
// languages do: they get the wrappers. Other callers see no difference: a lookup by RTLD_NEXT depends on who
// asks, so the real dlsym() is then jumped to, not called. It may come from a library that wraps functions of
// libc and has not found them yet, so until the jump nothing but dlvsym() is called.
#include <dlfcn.h>

#include <atomic>

#include "core/loaded_library.hpp"
#include "mpi/interpose/library/imports.hpp"
#include "mpi/interpose/library/layers.hpp"
#include "mpi/interpose/library/pmpi.hpp"

#ifdef __x86_64__

namespace {

using ovni::LoadedLibrary;
using Lookup = void*(void*, const char*);

void* find_nothing(void*, const char*) noexcept {
    return nullptr;
}

Lookup* real_lookup() noexcept {
    static std::atomic<Lookup*> known{nullptr};
    Lookup* real = known.load(std::memory_order_relaxed);
    if (real) return real;
    // The first is there in every glibc: a version that is missing would need memory for its error.
    for (const char* version : {"GLIBC_2.2.5", "GLIBC_2.34"})
        if (!real) real = reinterpret_cast<Lookup*>(dlvsym(RTLD_NEXT, "dlsym", version));
    // None lies behind this library: libc was loaded before it.
    if (!real) real = reinterpret_cast<Lookup*>(LoadedLibrary::first_symbol("dlsym"));
    if (!real) return find_nothing;
    known.store(real, std::memory_order_relaxed);
    return real;
}

// Without functions of libc, see above.
bool is_of_mpi(const char* name) noexcept {
    return name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && name[3] == '_';
}

bool is_of_mpi_library(const void* function) noexcept {
    const LoadedLibrary mpi = ovni::mpi::mpi_library();
    return mpi && mpi.holds(function);
}

// Libraries that wrap MPI as well keep their own.
void* find_in_library(void* library, const char* name) noexcept {
    void* found = real_lookup()(library, name);
    ovni::mpi::bind_imports();
    if (!found || !is_of_mpi(name) || !is_of_mpi_library(found)) return found;
    void* wrapper = LoadedLibrary::at(reinterpret_cast<const void*>(&find_in_library)).function(name);
    return wrapper ? wrapper : found;
}

}  // namespace

// The function that looks up in `library`.
extern "C" [[gnu::visibility("hidden")]] void* ovni_mpi_lookup_in(const void* library) noexcept;
extern "C" void* ovni_mpi_lookup_in(const void* library) noexcept {
    const bool is_search = library == RTLD_DEFAULT || library == RTLD_NEXT;
    return reinterpret_cast<void*>(is_search ? real_lookup() : find_in_library);
}

// void* dlsym(void* library, const char* name)
asm(R"(
    .text
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call ovni_mpi_lookup_in
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
    .cfi_endproc
    .size dlsym, . - dlsym
)");

#endif
