// Calls that must not confuse a recorder of messages; on 2 or more ranks:
//
//     odd_calls large      counts beyond 4 GiB, to MPI_PROC_NULL and to oneself
//     odd_calls unseen     communicators that are made, named and left while recording is paused
//     odd_calls idup       several communicators that are made in the background and completed in another
//     odd_calls inert      requests that are MPI_REQUEST_NULL, inactive or done at once, in all waits
//     odd_calls names      bytes that are no text, names given in a pause
//     odd_calls windows    one-sided calls that send nothing
//     odd_calls funnel     neighbours that all send to one, which sends to none
//     odd_calls port       two halves of the ranks connect by a port
//     odd_calls rounds     thousands of communicators that end
//     odd_calls wrong      wrong arguments, where errors are returned: prints their classes
//
// Exits 1 where a value is wrong.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

int rank = 0, ranks = 1;
bool correct = true;

void expect(bool holds) {
    correct = correct && holds;
}

void large() {
    constexpr int most = 2147483647;
    MPI_Datatype eight;
    MPI_Type_contiguous(8, MPI_CHAR, &eight);
    MPI_Type_commit(&eight);
    char nothing = 0;
    MPI_Send(&nothing, most, eight, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Send_init(&nothing, most, eight, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Bcast(&nothing, most, eight, 0, MPI_COMM_SELF);
    MPI_Type_free(&eight);
}

// A message round the communicator, the first rank of which takes no part.
void pass_on(MPI_Comm comm) {
    int place, size;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &size);
    int value = place;
    if (place > 0 && place + 1 < size) MPI_Send(&value, 1, MPI_INT, place + 1, 5, comm);
    if (place > 1) {
        MPI_Recv(&value, 1, MPI_INT, place - 1, 5, comm, MPI_STATUS_IGNORE);
        expect(value == place - 1);
    }
}

void unseen() {
    MPI_Comm backwards, left;
    MPI_Pcontrol(0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    MPI_Comm_set_name(backwards, "backwards");
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    MPI_Comm_free(&left);
    MPI_Pcontrol(1);
    pass_on(backwards);
    MPI_Comm_free(&backwards);
}

void pass_round(MPI_Comm comm) {
    int value = rank, right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 7, left, 7, comm, MPI_STATUS_IGNORE);
    expect(value == left);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
}

void idup() {
    MPI_Comm copies[3];
    MPI_Request requests[3];
    for (int i = 0; i < 3; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]);
    for (int i = 0; i < 3; ++i) MPI_Wait(&requests[rank % 2 ? i : 2 - i], MPI_STATUS_IGNORE);
    for (MPI_Comm& copy : copies) pass_round(copy);
    // The same members make one more of each kind, in another order.
    MPI_Comm in_background, of_group;
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank % 2) MPI_Comm_idup(MPI_COMM_WORLD, &in_background, &requests[0]);
    MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &of_group);
    if (rank % 2 == 0) MPI_Comm_idup(MPI_COMM_WORLD, &in_background, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    pass_round(in_background);
    pass_round(of_group);
    MPI_Group_free(&all);
}

void inert() {
    constexpr int many = 40;
    int in[many] = {}, out = rank, index, flag, done;
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    std::vector<MPI_Request> requests(3 * many);
    std::vector<int> indices(requests.size());
    auto post = [&] {
        for (int i = 0; i < many; ++i) {
            int from = i % 4 == 0 ? MPI_PROC_NULL : left, to = i % 4 == 0 ? MPI_PROC_NULL : right;
            requests[3 * i] = MPI_REQUEST_NULL;
            MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[3 * i + 1]);
            MPI_Isend(&out, 1, MPI_INT, to, i, MPI_COMM_WORLD, &requests[3 * i + 2]);
        }
    };
    int all = static_cast<int>(requests.size());
    post();
    MPI_Waitall(all, requests.data(), MPI_STATUSES_IGNORE);
    post();
    for (;;) {
        MPI_Waitany(all, requests.data(), &index, MPI_STATUS_IGNORE);
        if (index == MPI_UNDEFINED) break;
    }
    post();
    do MPI_Waitsome(all, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    while (done != MPI_UNDEFINED);
    post();
    do MPI_Testall(all, requests.data(), &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    post();
    do MPI_Testany(all, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    while (!flag || index != MPI_UNDEFINED);
    post();
    do MPI_Testsome(all, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    while (done != MPI_UNDEFINED);
    MPI_Request idle;
    MPI_Recv_init(&in[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &idle);
    MPI_Wait(&idle, MPI_STATUS_IGNORE);
    MPI_Test(&idle, &flag, MPI_STATUS_IGNORE);
    expect(flag);
    MPI_Request_free(&idle);
    for (int i = 0; i < many; ++i) expect(in[i] == (i % 4 == 0 ? 0 : left));
}

void names() {
    MPI_Comm named, renamed;
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_set_name(named, "caf\xc3\xa9 \xff\n.");
    MPI_Comm_dup(MPI_COMM_WORLD, &renamed);
    MPI_Comm_set_name(renamed, "before");
    MPI_Pcontrol(0);
    MPI_Comm_set_name(renamed, "behind");
    MPI_Pcontrol(1);
    pass_round(named);
    pass_round(renamed);
}

void windows() {
    int memory = rank, got = -1, nothing = 0;
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int right = (rank + 1) % ranks;
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Fetch_and_op(&nothing, &got, MPI_INT, right, 0, MPI_NO_OP, win);
    MPI_Get_accumulate(nullptr, 0, MPI_INT, &got, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Put(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Get(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_unlock(right, win);
    expect(got == right);
    MPI_Win_free(&win);
}

void funnel() {
    std::vector<int> sources, got(static_cast<size_t>(ranks), -1);
    for (int other = 1; rank == 0 && other < ranks; ++other) sources.push_back(other);
    const int in = static_cast<int>(sources.size()), out = rank == 0 ? 0 : 1, sink = 0;
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources.data(), MPI_UNWEIGHTED, out, &sink,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, got.data(), 1, MPI_INT, comm);
    for (int i = 0; i < ranks; ++i)
        expect(got[static_cast<size_t>(i)] == (i < in ? sources[static_cast<size_t>(i)] : -1));
    MPI_Comm_free(&comm);
}

void port() {
    char name[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, both, merged;
    int upper = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, name);
    MPI_Bcast(name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (upper)
        MPI_Comm_connect(name, MPI_INFO_NULL, 0, half, &both);
    else
        MPI_Comm_accept(name, MPI_INFO_NULL, 0, half, &both);
    MPI_Comm_set_name(both, "both");
    MPI_Intercomm_merge(both, upper, &merged);
    MPI_Comm_set_name(merged, "merged");
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, rank / 2, 7, rank / 2, 7, both, MPI_STATUS_IGNORE);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&both);
    MPI_Comm_free(&half);
    if (rank == 0) MPI_Close_port(name);
}

// The unit is a page.
long data_size() {
    long numbers[6] = {};
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    for (long& number : numbers) expect(file && std::fscanf(file, "%ld", &number) == 1);
    if (file) std::fclose(file);
    return numbers[5];
}

void rounds() {
    constexpr int times = 20000;
    constexpr long most = 256;
    long before = 0;
    for (int i = 0; i < 2 * times; ++i) {
        if (i == times) before = data_size();
        MPI_Comm first, second;
        MPI_Comm_dup(MPI_COMM_SELF, &first);
        MPI_Comm_dup(first, &second);
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
    }
    long grown = data_size() - before;
    if (grown > most) std::printf("grown by %ld pages\n", grown);
    expect(grown <= most);
}

void say(const char* what, int error) {
    int kind = MPI_SUCCESS;
    MPI_Error_class(error, &kind);
    if (rank == 0) std::printf("%s: %d\n", what, kind);
}

void wrong() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0, index = 0, count = 12345, indices[2] = {7, 7};
    auto no_type = MPI_DATATYPE_NULL;
    say("Send to nobody that exists", MPI_Send(&value, 1, MPI_INT, ranks, 1, MPI_COMM_WORLD));
    say("Send without a type", MPI_Send(&value, 1, no_type, 0, 1, MPI_COMM_WORLD));
    say("Send of fewer than none", MPI_Send(&value, -1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    say("Send without a communicator", MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL));
    say("Allreduce without a type", MPI_Allreduce(&value, &index, 1, no_type, MPI_SUM, MPI_COMM_WORLD));
    say("Allreduce without an operation",
        MPI_Allreduce(&value, &index, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    say("Wait for nothing", MPI_Wait(nullptr, MPI_STATUS_IGNORE));
    say("Waitall for nothing", MPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE));
    say("Waitsome for nothing", MPI_Waitsome(2, nullptr, &count, indices, MPI_STATUSES_IGNORE));
    say("Start of nothing", MPI_Start(nullptr));
    say("Free of the world", [] {
        MPI_Comm world = MPI_COMM_WORLD;
        return MPI_Comm_free(&world);
    }());
    MPI_File file;
    say("Open of no file",
        MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    MPI_Request requests[2];
    int in[2];
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, two[2] = {1, 2};
    for (int i = 0; i < 2; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 2; ++i) MPI_Send(two, i == 0 ? 2 : 1, MPI_INT, right, i, MPI_COMM_WORLD);
    say("Waitall with one message too long", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    pass_round(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    struct {
        const char* name;
        void (*run)();
    } kinds[] = {{"funnel", funnel},   {"large", large}, {"unseen", unseen}, {"idup", idup},
                 {"inert", inert},     {"names", names}, {"port", port},     {"rounds", rounds},
                 {"windows", windows}, {"wrong", wrong}};
    if (argc != 2) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (auto& kind : kinds)
        if (std::strcmp(argv[1], kind.name) == 0) kind.run();
    MPI_Finalize();
    return correct ? 0 : 1;
}
