#include "mpi/interpose/fortran.hpp"

#include <cstdio>
#include <cstring>

#include "core/loaded_library.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/job/traced_ranks.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/foreign_library.hpp"
#include "mpi/interpose/library/layers.hpp"
#include "mpi/interpose/library/own_session.hpp"
#include "mpi/interpose/library/pmpi.hpp"
#include "mpi/interpose/library/predefined.hpp"

namespace ovni::mpi {

namespace {

Report missing_routine{"%s is not in this process: calls of it do nothing"};

void no_routine() {}

constexpr char own_prefix[] = "ovni_";

struct Symbol {
    char text[72];
};

char capital(char c) noexcept {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// "mpi_send_f08_" of "send"; with "p" in front the name of the routine that no tool replaces, with "ovni_"
// that of our wrapper.
Symbol spelled(const char* prefix, Routine routine, Spelling spelling) noexcept {
    constexpr const char* suffixes[spellings] = {"",      "_",       "__",          "",
                                                 "_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_"};
    Symbol symbol;
    snprintf(symbol.text, sizeof symbol.text, "%smpi_%s%s", prefix, row_of(routine).name,
             suffixes[static_cast<size_t>(spelling)]);
    if (spelling == Spelling::capital)
        for (char* c = symbol.text + (prefix == own_prefix ? strlen(own_prefix) : 0); *c; ++c)
            *c = capital(*c);
    return symbol;
}

// A successor may have been loaded behind all others. Not all routines have a name that no tool replaces.
void* function_of_bindings(const char* name) noexcept {
    void* found = nullptr;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        if (strncmp(library.file_name(), "libovni-mpi", strlen("libovni-mpi")) != 0)
            found = library.function(name);
        return found == nullptr;
    });
    return found;
}

}  // namespace

void* find_routine(Routine routine, Spelling spelling) noexcept {
    Symbol name = spelled("", routine, spelling);
    if (void* successor = symbol_of_successor(spelled(own_prefix, routine, spelling).text)) return successor;
    // A layer inside the program hands on by the name with a P.
    if (!own_program().function(name.text))
        if (void* next = function_behind(name.text)) return next;
    if (void* found = find_symbol(spelled("p", routine, spelling).text)) return found;
    if (void* found = function_of_bindings(name.text)) return found;
    missing_routine.once(name.text);
    return reinterpret_cast<void*>(no_routine);
}

static bool make_ended_request(MPI_Request& request) noexcept {
    MPI_Comm comm = comm_self();
    const int own = rank_in_world();
    const bool is_made = has_own_session() && make_in_own_session(&own, 1, &comm);
    const int error = OVNI_PMPI(Isend)(nullptr, 0, type_char(), MPI_PROC_NULL, 0, comm, &request);
    if (is_made) OVNI_PMPI(Comm_free)(&comm);
    return error == MPI_SUCCESS;
}

// Asked of the library itself, by a request that has ended. The call is none of the program's.
static int ask_for_first_index() noexcept {
    Thread* thread = this_thread();
    MPI_Request request = request_null();
    if (!thread || !make_ended_request(request)) return 1;
    MPI_Fint count = 1, handle = OVNI_C2F(Request, request), index = 1, error = 0;
    MPI_Status status;
    using WaitAny = void(Address, Address, Address, Address, Address);
    auto* wait = real_routine<WaitAny>(Routine::waitany, Spelling::f08);
    thread->outermost = __builtin_frame_address(0);
    ++thread->depth;
    {
        BindingCall binding(Function::Waitany);
        wait(&count, &handle, &index, &status, &error);
    }
    --thread->depth;
    return index == 0 ? 0 : 1;
}

int first_index(Spelling spelling) noexcept {
    if (!may_count_from_0 || spelling != Spelling::f08) return 1;
    static std::atomic<int> known{-1};
    int first = known.load(std::memory_order_relaxed);
    if (first < 0) known.store(first = ask_for_first_index(), std::memory_order_relaxed);
    return first;
}

bool succeeded(Address ierror) noexcept {
    if (ierror) return *static_cast<const MPI_Fint*>(ierror) == MPI_SUCCESS;
    int flag = 0;
    return OVNI_PMPI(Initialized)(&flag) == MPI_SUCCESS && flag;
}

}  // namespace ovni::mpi
