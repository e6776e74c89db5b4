// Programs that call MPI where a tracer does not expect it, or get errors of it; on 2 or more ranks:
//
// callbacks attributes   callbacks of an attribute copy and free the communicators that it holds
// callbacks jump         rank 0 leaves a call by longjmp; then all make communicators, deeper in the stack
// callbacks stack        a reduction calls MPI on a stack of its own, which lies above the thread's
// callbacks errors       waits and tests of receives that are too short: prints how often the handler runs
//
// Exits 1 where a value is wrong.
#include <mpi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

int rank = 0, ranks = 1, keyval = 0;
bool correct = true;

void expect(bool holds) {
    correct = correct && holds;
}

// The counts stand at the end of what may be read.
void gather(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    constexpr size_t page = 4096;
    void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* end = static_cast<char*>(pages) + page;
    mprotect(end, page, PROT_NONE);
    int* counts = reinterpret_cast<int*>(end) - size;
    std::vector<int> places(static_cast<size_t>(size)), all(static_cast<size_t>(size), -1);
    for (int i = 0; i < size; ++i) counts[i] = 1, places[static_cast<size_t>(i)] = i;
    MPI_Allgatherv(&rank, 1, MPI_INT, all.data(), counts, places.data(), MPI_INT, comm);
    for (int one : all) expect(one >= 0);
    munmap(pages, 2 * page);
}

// A message round the communicator.
void pass_round(MPI_Comm comm, int tag) {
    int place = 0, size = 0, value = rank;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (place + 1) % size, tag, (place + size - 1) % size, tag, comm,
                         MPI_STATUS_IGNORE);
}

using Pair = MPI_Comm[2];

int copy_pair(MPI_Comm, int, void*, void* in, void* out, int* flag) {
    auto* from = static_cast<MPI_Comm*>(in);
    auto* to = new Pair;
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(from[i], &to[i]);
    *static_cast<void**>(out) = to;
    *flag = 1;
    return MPI_SUCCESS;
}

int delete_pair(MPI_Comm, int, void* value, void*) {
    auto* pair = static_cast<MPI_Comm*>(value);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&pair[i]);
    delete[] pair;
    return MPI_SUCCESS;
}

MPI_Comm with_pair_of(MPI_Comm base) {
    MPI_Comm comm;
    auto* pair = new Pair;
    MPI_Comm_dup(base, &comm);
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(base, &pair[i]);
    MPI_Comm_set_attr(comm, keyval, pair);
    return comm;
}

// Ranks use the pair in another order each.
void use_copy(MPI_Comm comm) {
    MPI_Comm copy, *pair = nullptr;
    int found = 0;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_attr(copy, keyval, static_cast<void*>(&pair), &found);
    expect(found);
    for (int i = 0; i < 2; ++i) {
        int which = rank == 0 ? i : 1 - i;
        MPI_Comm_set_name(pair[which], which ? "second" : "first");
    }
    for (int i = 0; i < 2; ++i) pass_round(pair[i], i), gather(pair[i]);
    MPI_Comm_free(&copy);
}

void attributes() {
    MPI_Comm_create_keyval(copy_pair, delete_pair, &keyval, nullptr);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Comm large = with_pair_of(MPI_COMM_WORLD), small = with_pair_of(half);
    constexpr int times = 3;
    for (int i = 0; i < times; ++i) use_copy(large), use_copy(small);
    for (MPI_Comm* comm : {&large, &small, &half}) MPI_Comm_free(comm);
    MPI_Comm_free_keyval(&keyval);
}

std::jmp_buf back;

void jump_out(MPI_Comm*, int*, ...) {
    std::longjmp(back, 1);
}

[[gnu::noinline]] MPI_Comm made_deep(int depth) {
    volatile char room[256];
    room[0] = 0;
    MPI_Comm comm;
    if (depth > 0) return made_deep(depth - 1 + room[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

void jump() {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump_out, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (rank == 0 && setjmp(back) == 0) MPI_Send(&rank, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
    MPI_Comm comms[2];
    comms[0] = made_deep(4);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    for (int i = 0; i < 2; ++i) MPI_Comm_set_name(comms[i], i ? "second" : "first");
    for (int i = 0; i < 2; ++i) pass_round(comms[i], i);
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
}

constexpr size_t stack_size = 65536;
void* own_stack = nullptr;
ucontext_t outside, inside;

void ask_mpi() {
    MPI_Aint lower, extent;
    MPI_Type_get_extent(MPI_INT, &lower, &extent);
}

void add_elsewhere(void* in, void* inout, int* length, MPI_Datatype*) {
    getcontext(&inside);
    inside.uc_stack.ss_sp = own_stack;
    inside.uc_stack.ss_size = stack_size;
    inside.uc_link = &outside;
    makecontext(&inside, ask_mpi, 0);
    swapcontext(&outside, &inside);
    for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void* reduce(void*) {
    MPI_Op sum;
    int one = 1, all = 0;
    expect(reinterpret_cast<char*>(&one) < own_stack);
    MPI_Op_create(add_elsewhere, 1, &sum);
    constexpr int times = 10;
    for (int i = 0; i < times; ++i) MPI_Allreduce(&one, &all, 1, MPI_INT, sum, MPI_COMM_WORLD);
    expect(all == ranks);
    for (int i = 0; i < times; ++i) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Op_free(&sum);
    return nullptr;
}

// The stack was there before the thread, so it lies above.
void stack() {
    pthread_t thread;
    pthread_create(&thread, nullptr, reduce, nullptr);
    pthread_join(thread, nullptr);
}

int handled = 0;

void count_errors(MPI_Comm*, int*, ...) {
    ++handled;
}

void wait_once(int kind, MPI_Request* requests) {
    constexpr int many = 3;
    int index = 0, flag = 0, done = 0, indices[many];
    if (kind == 0) MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    if (kind == 1) MPI_Testall(many, requests, &flag, MPI_STATUSES_IGNORE);
    if (kind == 2) MPI_Waitsome(many, requests, &done, indices, MPI_STATUSES_IGNORE);
    if (kind == 3) MPI_Testsome(many, requests, &done, indices, MPI_STATUSES_IGNORE);
    if (kind == 4) MPI_Waitany(many, requests, &index, MPI_STATUS_IGNORE);
    if (kind == 5) MPI_Testany(many, requests, &index, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < many && kind == 6; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < many && kind == 7; ++i) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

// The first of three messages is too long.
void receive(int kind) {
    int in[3];
    MPI_Request requests[3];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    handled = 0;
    auto is_open = [&] {
        for (MPI_Request request : requests)
            if (request != MPI_REQUEST_NULL) return true;
        return false;
    };
    // A test of all may fail again and again.
    constexpr int tries = 4, one_by_one = 6;
    for (int i = 0; i < tries && is_open(); ++i) wait_once(kind, requests);
    wait_once(one_by_one, requests);
    std::printf("%d: %d\n", kind, handled);
    std::fflush(stdout);
}

int complete_wrongly(void*, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    constexpr int of_nobody = 123456;
    return of_nobody;
}
int release(void*) {
    return MPI_SUCCESS;
}
int cancel(void*, int) {
    return MPI_SUCCESS;
}

// A code that nobody knows, and asking about which is a mistake.
void complete_with_unknown_code() {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Grequest_start(complete_wrongly, release, cancel, nullptr, &requests[1]);
    MPI_Grequest_complete(requests[1]);
    int index = 0;
    handled = 0;
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    std::printf("unknown code: %d\n", handled);
}

void errors() {
    constexpr int kinds = 8;
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(count_errors, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    int out[4] = {};
    for (int kind = 0; kind < kinds; ++kind) {
        if (rank == 0) {
            receive(kind);
            continue;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 3 && rank == 1; ++i) MPI_Send(out, i == 0 ? 4 : 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) complete_with_unknown_code();
    MPI_Errhandler_free(&handler);
}

}  // namespace

int main(int argc, char** argv) {
    struct {
        const char* name;
        void (*run)();
    } kinds[] = {{"attributes", attributes}, {"jump", jump}, {"stack", stack}, {"errors", errors}};
    if (argc != 2) return 2;
    own_stack = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool several = std::strcmp(argv[1], "stack") == 0;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (auto& kind : kinds)
        if (std::strcmp(argv[1], kind.name) == 0) kind.run();
    MPI_Finalize();
    return correct ? 0 : 1;
}
