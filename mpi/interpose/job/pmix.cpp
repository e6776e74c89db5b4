#include "mpi/interpose/job/pmix.hpp"

#include <dlfcn.h>
#include <pmix.h>

#include <cstdlib>
#include <cstring>

namespace ovni::mpi {

namespace {

constinit pmix_proc_t own_process{};

template <class Signature>
Signature* function(void* library, const char* name) noexcept {
    return reinterpret_cast<Signature*>(dlsym(library, name));
}
#define OVNI_PMIX(name) function<decltype(PMIx_##name)>(library_, "PMIx_" #name)

// PMIx_Init of a process that no launcher has started would look for a server.
bool is_launched() noexcept {
    return secure_getenv("PMIX_NAMESPACE") && secure_getenv("PMIX_RANK");
}

pmix_info_t info_of(const char* key, pmix_data_type_t type) noexcept {
    pmix_info_t info{};
    strncpy(info.key, key, sizeof info.key - 1);
    info.value.type = type;
    return info;
}

bool get(void* function, int rank, const char* key, const pmix_info_t& how) noexcept {
    pmix_proc_t process = own_process;
    process.rank = static_cast<pmix_rank_t>(rank);
    pmix_value_t* value = nullptr;
    if (reinterpret_cast<decltype(&PMIx_Get)>(function)(&process, key, &how, 1, &value) != PMIX_SUCCESS)
        return false;
    free(value);
    return true;
}

}  // namespace

bool Pmix::open() noexcept {
    library_ = is_launched() ? dlopen("libpmix.so.2", RTLD_LAZY | RTLD_LOCAL) : nullptr;
    if (!library_) return false;
    auto* init = OVNI_PMIX(Init);
    if (init && init(&own_process, nullptr, 0) == PMIX_SUCCESS) get_ = dlsym(library_, "PMIx_Get");
    return is_open();
}

void Pmix::close() noexcept {
    if (!is_open()) return;
    get_ = nullptr;
    if (auto* finalize = OVNI_PMIX(Finalize)) finalize(nullptr, 0);
}

bool Pmix::put(const char* key) noexcept {
    auto* put = OVNI_PMIX(Put);
    auto* commit = OVNI_PMIX(Commit);
    pmix_value_t value{};
    value.type = PMIX_BYTE;
    value.data.byte = 1;
    return put && commit && put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS && commit() == PMIX_SUCCESS;
}

// Otherwise the client asks the server of that rank, and waits.
bool Pmix::has(int rank, const char* key) const noexcept {
    pmix_info_t how = info_of(PMIX_OPTIONAL, PMIX_BOOL);
    how.value.data.flag = true;
    return get(get_, rank, key, how);
}

bool Pmix::ask(int rank, const char* key, int seconds) const noexcept {
    pmix_info_t patience = info_of(PMIX_TIMEOUT, PMIX_INT);
    patience.value.data.integer = seconds;
    return get(get_, rank, key, patience);
}

}  // namespace ovni::mpi
