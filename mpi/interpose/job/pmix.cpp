#include "mpi/interpose/job/pmix.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace ovni::mpi {

namespace {

constexpr int success = 0;
constexpr uint16_t type_bool = 1, type_byte = 2, type_number = 6;
constexpr uint8_t global_scope = 3;

template <class Signature>
Signature* function(void* library, const char* name) noexcept {
    return reinterpret_cast<Signature*>(dlsym(library, name));
}

// PMIx_Init of a process that no launcher has started would look for a server.
bool is_launched() noexcept {
    return secure_getenv("PMIX_NAMESPACE") && secure_getenv("PMIX_RANK");
}

}  // namespace

bool Pmix::open() noexcept {
    library_ = is_launched() ? dlopen("libpmix.so.2", RTLD_LAZY | RTLD_LOCAL) : nullptr;
    if (!library_) return false;
    auto* init = function<int(Process*, Info*, unsigned long)>(library_, "PMIx_Init");
    if (init && init(&own_, nullptr, 0) == success) get_ = function<Get>(library_, "PMIx_Get");
    return is_open();
}

void Pmix::close() noexcept {
    if (!is_open()) return;
    get_ = nullptr;
    if (auto* finalize = function<int(const Info*, unsigned long)>(library_, "PMIx_Finalize"))
        finalize(nullptr, 0);
}

bool Pmix::put(const char* key) noexcept {
    auto* put = function<int(uint8_t, const char*, Value*)>(library_, "PMIx_Put");
    auto* commit = function<int()>(library_, "PMIx_Commit");
    Value value{type_byte, {1}};
    return put && commit && put(global_scope, key, &value) == success && commit() == success;
}

bool Pmix::get(int rank, const char* key, const Info& how) const noexcept {
    Process process = own_;
    process.rank = static_cast<uint32_t>(rank);
    Value* value = nullptr;
    if (get_(&process, key, &how, 1, &value) != success) return false;
    free(value);
    return true;
}

// Otherwise the client asks the server of that rank, and waits.
bool Pmix::has(int rank, const char* key) const noexcept {
    return get(rank, key, {"pmix.optional", 0, {type_bool, {1}}});
}

bool Pmix::ask(int rank, const char* key, int seconds) const noexcept {
    Info patience{"pmix.timeout", 0, {type_number, {}}};
    patience.value.data.number = seconds;
    return get(rank, key, patience);
}

}  // namespace ovni::mpi
