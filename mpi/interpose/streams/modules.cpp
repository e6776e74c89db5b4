#include "mpi/interpose/streams/modules.hpp"

#include <dlfcn.h>
#include <limits.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/code_place.hpp"
#include "mpi/interpose/base/spin_lock.hpp"

namespace ovni::mpi {

namespace {

struct Identity {
    uintptr_t base = 0;
    char build_id[sizeof CodeFile::build_id] = "";
    char name[PATH_MAX] = "";  // as the loader has it; empty for the program
};

// Lives as long as the process: traces name modules by their numbers.
struct Module {
    Module* next;
    uint32_t number;
    uintptr_t base;
    char* build_id;
    char* name;
    char* path;
};

SpinLock changing_modules;
std::atomic<Module*> newest{nullptr};

// The name is relative if the program was started, or the file loaded, by such a name. Never empty, as
// readers refuse that: /proc may be missing.
char* path_of(const char* name) noexcept {
    char path[PATH_MAX];
    if (realpath(*name ? name : "/proc/self/exe", path)) return strdup(path);
    if (!*name) name = program_invocation_name;
    return strdup(*name ? name : "program");
}

bool is(const Module& module, const Identity& file) noexcept {
    return module.base == file.base && strcmp(module.build_id, file.build_id) == 0 &&
           strcmp(module.name, file.name) == 0;
}

uint32_t module_number(const Identity& file) noexcept {
    SpinLock::Guard guard(changing_modules);
    Module* first = newest.load(std::memory_order_relaxed);
    for (Module* module = first; module; module = module->next)
        if (is(*module, file)) return module->number;
    auto* made = static_cast<Module*>(malloc(sizeof(Module)));
    char* build_id = strdup(file.build_id);
    char* name = strdup(file.name);
    char* path = path_of(file.name);
    if (!made || !build_id || !name || !path) {
        free(made), free(build_id), free(name), free(path);
        return CodePlace::no_module;
    }
    *made = {first, first ? first->number + 1 : 0, file.base, build_id, name, path};
    newest.store(made, std::memory_order_release);
    return made->number;
}

}  // namespace

CodePlace place_of(const void* address) noexcept {
    // The byte before counts: a call at the end of a function returns to what follows it.
    const auto at = reinterpret_cast<uintptr_t>(address);
    Identity file;
    const auto copy = [&](const CodeFile& found) {
        file.base = found.base;
        snprintf(file.build_id, sizeof file.build_id, "%s", found.build_id);
        snprintf(file.name, sizeof file.name, "%s", found.name);
    };
    if (!with_code_file(at - 1, copy)) return {CodePlace::no_module, at};
    uint32_t number = module_number(file);
    uintptr_t base = number == CodePlace::no_module ? 0 : file.base;
    return {number, at - base};
}

void describe_module(uint32_t module, char* text, size_t room) noexcept {
    const Module* found = newest.load(std::memory_order_acquire);
    while (found && found->number != module) found = found->next;
    if (found)
        snprintf(text, room, "%s %zx %s", found->build_id, static_cast<size_t>(found->base), found->path);
    else
        *text = '\0';
}

}  // namespace ovni::mpi

#pragma GCC visibility push(default)

extern "C" int dlclose(void* library) noexcept {
    static std::atomic<int (*)(void*)> real{nullptr};
    auto* close = real.load(std::memory_order_relaxed);
    if (!close) {
        close = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
        real.store(close, std::memory_order_relaxed);
    }
    if (!close) return -1;
    int result = close(library);
    ovni::mpi::unloadings.fetch_add(1, std::memory_order_relaxed);
    return result;
}

#pragma GCC visibility pop
