// Sends messages in every way that MPI has, all of one size, and writes what it knows of each to known.RANK:
//
//     S number begin end     the call that sent it, by the clock of the system
//     R number begin end     the call that posted its receive began, the one that completed it ended
//
// A message carries its number. An argument that is not 0 seeds pauses of the recording by MPI_Pcontrol.
#include <mpi.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Message = std::array<int64_t, 4>;
constexpr int words = 4;

int rank = 0, size = 0;
std::FILE* book = nullptr;
std::mutex writing;
std::minstd_rand random_number;
bool pauses = false;
int64_t made = 0;

int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void note(char kind, int64_t number, int64_t begin, int64_t end) {
    const std::lock_guard guard(writing);
    std::fprintf(book, "%c %lld %lld %lld\n", kind, static_cast<long long>(number),
                 static_cast<long long>(begin), static_cast<long long>(end));
}

Message next_message() {
    const std::lock_guard guard(writing);
    return {int64_t{rank} * 1'000'000 + ++made, 0, 0, 0};
}

// Sometimes recording stops, or goes on.
void maybe_pause() {
    if (pauses && random_number() % 4 == 0) MPI_Pcontrol(random_number() % 2 == 0 ? 0 : 1);
}

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
void send(Send how, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    const Message message = next_message();
    const int64_t begin = now();
    how(message.data(), words, MPI_INT64_T, to, tag, comm);
    note('S', message[0], begin, now());
}

void receive(int from, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    Message message{};
    const int64_t begin = now();
    MPI_Recv(message.data(), words, MPI_INT64_T, from, tag, comm, MPI_STATUS_IGNORE);
    note('R', message[0], begin, now());
}

// Messages under way: memory that stays, and when each was posted.
struct UnderWay {
    std::vector<Message> messages;
    std::vector<MPI_Request> requests;
    std::vector<int64_t> begins;
    explicit UnderWay(size_t count) : messages(count), requests(count, MPI_REQUEST_NULL), begins(count) {}
};

void post(UnderWay& all, size_t at, int from, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    all.begins[at] = now();
    MPI_Irecv(all.messages[at].data(), words, MPI_INT64_T, from, tag, comm, &all.requests[at]);
}

using Isend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
void start(Isend how, UnderWay& all, size_t at, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    all.messages[at] = next_message();
    const int64_t begin = now();
    how(all.messages[at].data(), words, MPI_INT64_T, to, tag, comm, &all.requests[at]);
    note('S', all.messages[at][0], begin, now());
}

void wait_all(UnderWay& all, bool receives) {
    MPI_Waitall(static_cast<int>(all.requests.size()), all.requests.data(), MPI_STATUSES_IGNORE);
    const int64_t end = now();
    for (size_t i = 0; receives && i < all.messages.size(); ++i)
        if (all.messages[i][0] != 0) note('R', all.messages[i][0], all.begins[i], end);
}

int right() {
    return (rank + 1) % size;
}
int left() {
    return (rank + size - 1) % size;
}

void blocking() {
    const Send ways[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
    for (Send way : ways) {
        if (rank % 2 == 0 && rank + 1 < size) {
            if (way == static_cast<Send>(MPI_Rsend))
                MPI_Recv(nullptr, 0, MPI_INT, rank + 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send(way, rank + 1, 1);
        } else if (rank % 2 == 1) {
            if (way == static_cast<Send>(MPI_Rsend)) {
                UnderWay one(1);
                post(one, 0, rank - 1, 1);
                MPI_Send(nullptr, 0, MPI_INT, rank - 1, 99, MPI_COMM_WORLD);
                wait_all(one, true);
            } else {
                receive(rank - 1, 1);
            }
        }
        maybe_pause();
    }
}

// Receives of one key are completed in another order than they were posted in.
void backwards() {
    constexpr size_t count = 6;
    UnderWay in(count), out(count);
    for (size_t i = count; i-- > 0;) post(in, i, left(), 2);
    const Isend ways[] = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    for (size_t i = 0; i < count; ++i) start(ways[i % 3], out, i, right(), 2);
    maybe_pause();
    for (size_t i = 0; i < count / 2; ++i) {
        MPI_Wait(&in.requests[i], MPI_STATUS_IGNORE);
        note('R', in.messages[i][0], in.begins[i], now());
        in.messages[i][0] = 0;
    }
    wait_all(in, true);
    wait_all(out, false);
}

void wildcards() {
    if (rank == 0) {
        for (int i = 1; i < size; ++i) receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
        MPI_Barrier(MPI_COMM_WORLD);
        UnderWay in(static_cast<size_t>(size - 1));
        for (size_t i = 0; i < in.requests.size(); ++i) post(in, i, MPI_ANY_SOURCE, 4);
        for (size_t done = 0; done < in.requests.size(); ++done) {
            int which = 0;
            MPI_Waitany(size - 1, in.requests.data(), &which, MPI_STATUS_IGNORE);
            const auto at = static_cast<size_t>(which);
            note('R', in.messages[at][0], in.begins[at], now());
        }
    } else {
        send(MPI_Send, 0, 3);
        MPI_Barrier(MPI_COMM_WORLD);
        maybe_pause();
        send(MPI_Ssend, 0, 4);
    }
}

void probes() {
    send(MPI_Bsend, right(), 5);
    send(MPI_Bsend, right(), 5);
    send(MPI_Bsend, right(), 5);
    MPI_Status status;
    MPI_Probe(left(), 5, MPI_COMM_WORLD, &status);
    MPI_Message first = MPI_MESSAGE_NULL, second = MPI_MESSAGE_NULL;
    MPI_Mprobe(left(), 5, MPI_COMM_WORLD, &first, &status);
    int flag = 0;
    while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &second, &status);
    receive(left(), 5);
    Message message{};
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t begin = now();
    MPI_Imrecv(message.data(), words, MPI_INT64_T, &second, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note('R', message[0], begin, now());
    begin = now();
    MPI_Mrecv(message.data(), words, MPI_INT64_T, &first, MPI_STATUS_IGNORE);
    note('R', message[0], begin, now());
    maybe_pause();
}

void persistent() {
    constexpr size_t count = 3;
    UnderWay in(count), out(count);
    for (size_t i = 0; i < count; ++i) {
        MPI_Recv_init(in.messages[i].data(), words, MPI_INT64_T, left(), 6, MPI_COMM_WORLD, &in.requests[i]);
        MPI_Send_init(out.messages[i].data(), words, MPI_INT64_T, right(), 6, MPI_COMM_WORLD,
                      &out.requests[i]);
    }
    for (int round = 0; round < 3; ++round) {
        for (size_t i = 0; i < count; ++i) out.messages[i] = next_message();
        int64_t begin = now();
        for (size_t i = 0; i < count; ++i) in.begins[i] = begin;
        MPI_Startall(count, in.requests.data());
        for (size_t i = 0; i < count; ++i) {
            begin = now();
            MPI_Start(&out.requests[i]);
            note('S', out.messages[i][0], begin, now());
        }
        wait_all(in, true);
        wait_all(out, false);
        maybe_pause();
    }
    for (size_t i = 0; i < count; ++i) MPI_Request_free(&in.requests[i]), MPI_Request_free(&out.requests[i]);
}

// Sends and receives that are cancelled, or go nowhere, are no messages.
void none() {
    UnderWay in(1);
    post(in, 0, left(), 77);
    MPI_Cancel(&in.requests[0]);
    MPI_Wait(&in.requests[0], MPI_STATUS_IGNORE);
    Message message{};
    MPI_Sendrecv(message.data(), words, MPI_INT64_T, MPI_PROC_NULL, 7, message.data(), 0, MPI_INT64_T,
                 MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send(MPI_Bsend, right(), 7);
    receive(left(), 7);
}

void exchanges() {
    for (int round = 0; round < 4; ++round) {
        Message out = next_message(), in{};
        const int64_t begin = now(), number = out[0];
        if (round % 2 == 0)
            MPI_Sendrecv(out.data(), words, MPI_INT64_T, right(), 8, in.data(), words, MPI_INT64_T, left(), 8,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Sendrecv_replace((in = out).data(), words, MPI_INT64_T, right(), 8, left(), 8, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
        const int64_t end = now();
        note('S', number, begin, end);
        note('R', in[0], begin, end);
        maybe_pause();
    }
}

void communicators() {
    MPI_Comm copy = MPI_COMM_NULL, half = MPI_COMM_NULL, both = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    send(MPI_Bsend, right(), 9, copy);
    send(MPI_Bsend, right(), 9);
    receive(left(), 9);
    receive(left(), 9, copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int my = 0, all = 0;
    MPI_Comm_rank(half, &my);
    MPI_Comm_size(half, &all);
    send(MPI_Bsend, (my + 1) % all, 9, half);
    receive((my + all - 1) % all, 9, half);
    if (size > 1) {
        MPI_Intercomm_create(
            half, 0, MPI_COMM_WORLD,
            rank % 2 == 0 ? (size % 2 == 0 ? size - 1 : size - 2) : (size % 2 == 0 ? size - 2 : size - 1), 10,
            &both);
        int remote = 0;
        MPI_Comm_remote_size(both, &remote);
        // Both directions have the same ranks and tags.
        if (my < remote) {
            send(MPI_Bsend, my, 9, both);
            send(MPI_Bsend, my, 9, both);
            receive(my, 9, both);
            receive(my, 9, both);
        }
        MPI_Comm_free(&both);
    }
    send(MPI_Bsend, 0, 9, MPI_COMM_SELF);
    receive(0, 9, MPI_COMM_SELF);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    maybe_pause();
}

void threads() {
    constexpr int count = 3;
    std::vector<std::thread> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back([i] {
            for (int round = 0; round < 5; ++round) {
                UnderWay in(1);
                post(in, 0, left(), 20 + i);
                send(MPI_Send, right(), 20 + i);
                wait_all(in, true);
            }
        });
    for (std::thread& thread : all) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int seed = argc > 1 ? std::atoi(argv[1]) : 0;
    pauses = seed != 0;
    random_number.seed(static_cast<unsigned>(seed * 1000 + rank + 1));
    book = std::fopen(("known." + std::to_string(rank)).c_str(), "w");
    if (!book) MPI_Abort(MPI_COMM_WORLD, 1);
    std::vector<char> buffer(1 << 20);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    for (int round = 0; round < 3; ++round) {
        blocking();
        backwards();
        wildcards();
        MPI_Barrier(MPI_COMM_WORLD);
        probes();
        MPI_Barrier(MPI_COMM_WORLD);
        persistent();
        none();
        exchanges();
        communicators();
    }
    if (provided == MPI_THREAD_MULTIPLE) threads();
    void* detached = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&detached), &bytes);
    std::fclose(book);
    MPI_Finalize();
    return 0;
}
