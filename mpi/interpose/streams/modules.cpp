#include "mpi/interpose/streams/modules.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "mpi/interpose/base/spin_lock.hpp"

namespace ovni::mpi {

namespace {

constexpr size_t longest_build_id = 32;

struct Identity {
    uintptr_t base = 0;
    char build_id[2 * longest_build_id + 1] = "-";
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

struct Search {
    uintptr_t address;
    Identity found;
};

void copy(char* to, size_t room, const char* from) noexcept {
    size_t size = std::min(strlen(from), room - 1);
    memcpy(to, from, size);
    to[size] = '\0';
}

void write_build_id(Identity& module, std::span<const uint8_t> bytes) noexcept {
    bytes = bytes.first(std::min(bytes.size(), longest_build_id));
    char* to = module.build_id;
    for (uint8_t byte : bytes) to += snprintf(to, 3, "%02x", byte);
}

// Notes are a header, a name and a description, each padded to 4 bytes.
void find_build_id(Identity& module, std::span<const uint8_t> notes) noexcept {
    auto padded = [](size_t size) { return (size + 3) & ~size_t{3}; };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes.data(), sizeof note);
        size_t name_at = sizeof note, text_at = name_at + padded(note.n_namesz);
        size_t end = text_at + padded(note.n_descsz);
        if (text_at > notes.size() || note.n_descsz > notes.size() - text_at) return;
        bool is_gnu = note.n_namesz == sizeof "GNU" && memcmp(&notes[name_at], "GNU", sizeof "GNU") == 0;
        if (is_gnu && note.n_type == NT_GNU_BUILD_ID)
            return write_build_id(module, notes.subspan(text_at, note.n_descsz));
        notes = notes.subspan(std::min(end, notes.size()));
    }
}

// The name is relative if the program was started, or the file loaded, by such a name. Never empty, as
// readers refuse that: /proc may be missing.
char* path_of(const char* name) noexcept {
    char path[PATH_MAX];
    if (realpath(*name ? name : "/proc/self/exe", path)) return strdup(path);
    if (!*name) name = program_invocation_name;
    return strdup(*name ? name : "program");
}

bool has_code_at(const ElfW(Phdr) & segment, uintptr_t offset) noexcept {
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
           offset - segment.p_vaddr < segment.p_memsz;
}

int look_into(dl_phdr_info* info, size_t, void* argument) {
    auto& search = *static_cast<Search*>(argument);
    std::span segments(info->dlpi_phdr, info->dlpi_phnum);
    uintptr_t offset = search.address - info->dlpi_addr;
    if (std::ranges::none_of(segments, [&](auto& segment) { return has_code_at(segment, offset); })) return 0;
    search.found.base = info->dlpi_addr;
    copy(search.found.name, sizeof search.found.name, info->dlpi_name);
    for (const ElfW(Phdr) & segment : segments)
        if (segment.p_type == PT_NOTE && search.found.build_id[0] == '-')
            find_build_id(search.found, {reinterpret_cast<const uint8_t*>(info->dlpi_addr + segment.p_vaddr),
                                         segment.p_memsz});
    return 1;
}

bool is(const Module& module, const Identity& identity) noexcept {
    return module.base == identity.base && strcmp(module.build_id, identity.build_id) == 0 &&
           strcmp(module.name, identity.name) == 0;
}

uint32_t module_number(const Identity& identity) noexcept {
    SpinLock::Guard guard(changing_modules);
    Module* first = newest.load(std::memory_order_relaxed);
    for (Module* module = first; module; module = module->next)
        if (is(*module, identity)) return module->number;
    auto* made = static_cast<Module*>(malloc(sizeof(Module)));
    char* build_id = strdup(identity.build_id);
    char* name = strdup(identity.name);
    char* path = path_of(identity.name);
    if (!made || !build_id || !name || !path) {
        free(made), free(build_id), free(name), free(path);
        return CodePlace::no_module;
    }
    *made = {first, first ? first->number + 1 : 0, identity.base, build_id, name, path};
    newest.store(made, std::memory_order_release);
    return made->number;
}

}  // namespace

CodePlace place_of(const void* address) noexcept {
    // The byte before counts: a call at the end of a function returns to what follows it.
    Search search{reinterpret_cast<uintptr_t>(address) - 1, {}};
    if (dl_iterate_phdr(look_into, &search) == 0) return {CodePlace::no_module, search.address + 1};
    uint32_t number = module_number(search.found);
    uintptr_t base = number == CodePlace::no_module ? 0 : search.found.base;
    return {number, search.address + 1 - base};
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
