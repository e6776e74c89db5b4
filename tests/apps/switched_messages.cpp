// Sends messages in every way that MPI has while each rank switches recording on and off by itself, and
// writes what it knows of each message to known.RANK:
//
//     S number thread begin end recorded     the call that sent it, by the clock of the trace
//     R number thread begin end recorded     the call that posted its receive
//
// `recorded` is 1 if recording was on in these calls, for a receive also in the call that completed it, else
// 0; with several threads it is 2: unknown. A message carries its number.
//
// Arguments: SEED ROUNDS [threads | chains | tags]. Threads switch while others are in calls; with chains
// somebody else switches; with tags more keys are used in a pause than a process counts.
#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

extern "C" [[gnu::weak]] uint64_t ovni_clock_now();

namespace {

using Message = std::array<int64_t, 4>;
constexpr int words = 4;

int rank = 0, size = 0;
std::FILE* book = nullptr;
std::mutex writing;
std::minstd_rand pattern, own;  // alike on all ranks; of this one
bool is_on = true, has_threads = false, is_known = true;
int64_t made = 0;

// The clock of the trace, if the program is traced: begin and end enclose what the trace says of a call.
int64_t now() {
    if (ovni_clock_now != nullptr) return static_cast<int64_t>(ovni_clock_now());
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct Span {
    int64_t begin = 0, end = 0;
    bool on = false;
};

void note(char kind, int64_t number, const Span& span, bool on) {
    const std::lock_guard guard(writing);
    std::fprintf(book, "%c %lld %ld %lld %lld %d\n", kind, static_cast<long long>(number),
                 syscall(SYS_gettid), static_cast<long long>(span.begin), static_cast<long long>(span.end),
                 !is_known ? 2 : static_cast<int>(on));
}

Message next_message() {
    const std::lock_guard guard(writing);
    return {int64_t{rank} * 1'000'000 + ++made, 0, 0, 0};
}

void maybe_switch() {
    if (!is_known || own() % 4 != 0) return;
    is_on = !is_on;
    MPI_Pcontrol(is_on ? 1 : 0, nullptr);
}

template <class Call>
Span timed(Call call) {
    Span span{now(), 0, is_on};
    call();
    span.end = now();
    return span;
}

int right() {
    return (rank + 1) % size;
}
int left() {
    return (rank + size - 1) % size;
}

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
void send(Send how, int to, int tag, MPI_Comm comm) {
    const Message message = next_message();
    const Span span = timed([&] { how(message.data(), words, MPI_INT64_T, to, tag, comm); });
    note('S', message[0], span, span.on);
    maybe_switch();
}

void receive(int from, int tag, MPI_Comm comm) {
    Message message{};
    const Span span =
        timed([&] { MPI_Recv(message.data(), words, MPI_INT64_T, from, tag, comm, MPI_STATUS_IGNORE); });
    note('R', message[0], span, span.on);
    maybe_switch();
}

// Receives or sends under way.
struct UnderWay {
    std::deque<Message> messages;
    std::vector<MPI_Request> requests;
    std::vector<Span> posted;

    size_t add() {
        messages.emplace_back();
        requests.push_back(MPI_REQUEST_NULL);
        posted.emplace_back();
        return requests.size() - 1;
    }
    void post(int from, int tag, MPI_Comm comm) {
        const size_t at = add();
        posted[at] = timed(
            [&] { MPI_Irecv(messages[at].data(), words, MPI_INT64_T, from, tag, comm, &requests[at]); });
        maybe_switch();
    }
    using Isend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    void start(Isend how, int to, int tag, MPI_Comm comm) {
        const size_t at = add();
        messages[at] = next_message();
        posted[at] =
            timed([&] { how(messages[at].data(), words, MPI_INT64_T, to, tag, comm, &requests[at]); });
        note('S', messages[at][0], posted[at], posted[at].on);
        maybe_switch();
    }
    // The receive at that place is complete, by a call during which recording was on or off.
    void received(size_t at, bool on) { note('R', messages[at][0], posted[at], posted[at].on && on); }
    void wait(size_t at) {
        const bool on = is_on;
        MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
        received(at, on);
        maybe_switch();
    }
    int count() const { return static_cast<int>(requests.size()); }
    size_t open() const {
        return static_cast<size_t>(
            std::count_if(requests.begin(), requests.end(), [](auto r) { return r != MPI_REQUEST_NULL; }));
    }
    void wait_for_sends() {
        MPI_Waitall(count(), requests.data(), MPI_STATUSES_IGNORE);
        maybe_switch();
    }
    // In one of the ways in which several requests complete.
    void receive_all() {
        while (open() > 0) {
            const std::vector<MPI_Request> before = requests;
            const bool on = is_on;
            int which = 0, flag = 0;
            std::vector<int> places(requests.size());
            switch (own() % 6) {
                case 0:
                    MPI_Waitall(count(), requests.data(), MPI_STATUSES_IGNORE);
                    break;
                case 1:
                    MPI_Waitany(count(), requests.data(), &which, MPI_STATUS_IGNORE);
                    break;
                case 2:
                    MPI_Waitsome(count(), requests.data(), &which, places.data(), MPI_STATUSES_IGNORE);
                    break;
                case 3:
                    MPI_Testall(count(), requests.data(), &flag, MPI_STATUSES_IGNORE);
                    break;
                case 4:
                    MPI_Testsome(count(), requests.data(), &which, places.data(), MPI_STATUSES_IGNORE);
                    break;
                default:
                    MPI_Testany(count(), requests.data(), &which, &flag, MPI_STATUS_IGNORE);
            }
            for (size_t i = 0; i < requests.size(); ++i)
                if (before[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL) received(i, on);
            maybe_switch();
        }
    }
};

void ring(MPI_Comm comm) {
    const Send ways[] = {MPI_Bsend, MPI_Send, MPI_Ssend};
    const Send way = ways[pattern() % 3];
    UnderWay in;
    if (way == static_cast<Send>(MPI_Bsend)) {
        send(way, right(), 1, comm);
        receive(left(), 1, comm);
    } else {
        in.post(left(), 1, comm);
        send(way, right(), 1, comm);
        in.wait(0);
    }
}

// Receives of one key are completed in another order than they were posted in.
void backwards(MPI_Comm comm) {
    constexpr int count = 5;
    UnderWay in, out;
    for (int i = 0; i < count; ++i) in.post(left(), 2, comm);
    const UnderWay::Isend ways[] = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    for (int i = 0; i < count; ++i) out.start(ways[pattern() % 3], right(), 2, comm);
    for (size_t i = count; i-- > count / 2;) in.wait(i);
    in.receive_all();
    out.wait_for_sends();
}

// All messages fit all receives, so that each finds one.
void wildcards(MPI_Comm comm) {
    UnderWay in, out;
    const unsigned count = 2 + pattern() % 4;
    std::vector<unsigned> kinds;
    for (unsigned i = 0; i < count; ++i) kinds.push_back(pattern() % 4);
    for (unsigned kind : kinds) in.post(kind & 1 ? MPI_ANY_SOURCE : left(), kind & 2 ? MPI_ANY_TAG : 5, comm);
    for (unsigned i = 0; i < count; ++i) out.start(MPI_Isend, right(), 5, comm);
    in.receive_all();
    out.wait_for_sends();
    MPI_Barrier(comm);
    if (rank == 0) {
        for (int i = 1; i < size; ++i) receive(MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
    } else {
        send(MPI_Ssend, 0, 6 + rank % 2, comm);
    }
    MPI_Barrier(comm);
}

void probes(MPI_Comm comm) {
    for (int i = 0; i < 4; ++i) send(MPI_Bsend, right(), 7, comm);
    MPI_Status status;
    MPI_Message first = MPI_MESSAGE_NULL, second = MPI_MESSAGE_NULL;
    const bool first_on = is_on;
    MPI_Mprobe(left(), 7, comm, &first, &status);
    maybe_switch();
    bool second_on = is_on;
    for (int flag = 0; !flag;) {
        second_on = is_on;
        MPI_Improbe(MPI_ANY_SOURCE, 7, comm, &flag, &second, &status);
        maybe_switch();
    }
    MPI_Probe(left(), MPI_ANY_TAG, comm, &status);
    receive(left(), 7, comm);
    UnderWay in;
    const size_t at = in.add();
    in.posted[at] =
        timed([&] { MPI_Imrecv(in.messages[at].data(), words, MPI_INT64_T, &second, &in.requests[at]); });
    in.posted[at].on &= second_on;
    maybe_switch();
    in.wait(at);
    Message message{};
    const Span span =
        timed([&] { MPI_Mrecv(message.data(), words, MPI_INT64_T, &first, MPI_STATUS_IGNORE); });
    note('R', message[0], span, span.on && first_on);
    maybe_switch();
    receive(MPI_ANY_SOURCE, 7, comm);
}

// Requests that live as long as the program.
class Persistent {
 public:
    explicit Persistent(MPI_Comm comm) {
        for (int i = 0; i < count; ++i) {
            in_.add(), out_.add();
            const auto at = static_cast<size_t>(i);
            const int from = i == 0 ? MPI_ANY_SOURCE : left();
            MPI_Recv_init(in_.messages[at].data(), words, MPI_INT64_T, from, 8, comm, &in_.requests[at]);
            MPI_Send_init(out_.messages[at].data(), words, MPI_INT64_T, right(), 8, comm, &out_.requests[at]);
        }
    }
    void round() {
        for (Message& message : out_.messages) message = next_message();
        // Those of one call cannot be told apart by its time.
        if (is_known) {
            const Span posted = timed([&] { MPI_Startall(count, in_.requests.data()); });
            for (Span& span : in_.posted) span = posted;
        } else {
            for (size_t i = 0; i < count; ++i) in_.posted[i] = timed([&] { MPI_Start(&in_.requests[i]); });
        }
        maybe_switch();
        for (size_t i = 0; i < count; ++i) {
            const Span span = timed([&] { MPI_Start(&out_.requests[i]); });
            note('S', out_.messages[i][0], span, span.on);
            maybe_switch();
        }
        in_.wait(1);
        const bool on = is_on;
        MPI_Waitall(count, in_.requests.data(), MPI_STATUSES_IGNORE);
        for (size_t i : {0, 2}) in_.received(i, on);
        out_.wait_for_sends();
    }
    void free() {
        for (int i = 0; i < count; ++i) {
            MPI_Request_free(&in_.requests[static_cast<size_t>(i)]);
            MPI_Request_free(&out_.requests[static_cast<size_t>(i)]);
        }
    }

 private:
    static constexpr int count = 3;
    UnderWay in_, out_;
};

// No messages: receives that are cancelled, calls that fail or go nowhere.
void none(MPI_Comm comm) {
    UnderWay in, nowhere;
    in.post(left(), 1, comm);
    in.post(MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
    for (MPI_Request& request : in.requests) {
        MPI_Cancel(&request);
        maybe_switch();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        maybe_switch();
    }
    MPI_Barrier(comm);
    Message message{};
    MPI_Send(message.data(), words, MPI_INT64_T, size + 1, 1, comm);
    maybe_switch();
    MPI_Recv(message.data(), words, MPI_INT64_T, size + 1, 1, comm, MPI_STATUS_IGNORE);
    maybe_switch();
    nowhere.post(MPI_PROC_NULL, 1, comm);
    MPI_Isend(message.data(), words, MPI_INT64_T, MPI_PROC_NULL, 1, comm, &nowhere.requests[nowhere.add()]);
    nowhere.wait_for_sends();
}

void exchanges(MPI_Comm comm) {
    for (int round = 0; round < 2; ++round) {
        Message out = next_message(), in{};
        const int64_t number = out[0];
        const Span span = timed([&] {
            if (round == 0)
                MPI_Sendrecv(out.data(), words, MPI_INT64_T, right(), 9, in.data(), words, MPI_INT64_T,
                             left(), 9, comm, MPI_STATUS_IGNORE);
            else
                MPI_Sendrecv_replace((in = out).data(), words, MPI_INT64_T, right(), 9, MPI_ANY_SOURCE, 9,
                                     comm, MPI_STATUS_IGNORE);
        });
        note('S', number, span, span.on);
        note('R', in[0], span, span.on);
        maybe_switch();
    }
}

// Messages on communicators that are made and freed while recording goes on and off. The receives outlive
// one.
void communicators() {
    MPI_Comm copy = MPI_COMM_NULL, half = MPI_COMM_NULL;
    UnderWay in, out;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    maybe_switch();
    for (int i = 0; i < 2; ++i) in.post(i == 0 ? MPI_ANY_SOURCE : left(), 11, copy);
    for (int i = 0; i < 2; ++i) out.start(MPI_Isend, right(), 11, copy);
    MPI_Comm_free(&copy);
    maybe_switch();
    in.receive_all();
    out.wait_for_sends();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    maybe_switch();
    int my = 0, all = 0;
    MPI_Comm_rank(half, &my);
    MPI_Comm_size(half, &all);
    send(MPI_Bsend, (my + 1) % all, 11, half);
    receive((my + all - 1) % all, 11, half);
    MPI_Comm_free(&half);
    send(MPI_Bsend, 0, 11, MPI_COMM_SELF);
    receive(0, 11, MPI_COMM_SELF);
}

void play(int rounds) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    Persistent persistent(copy);
    for (int round = 0; round < rounds; ++round) {
        maybe_switch();
        switch (pattern() % 8) {
            case 0:
                ring(round % 2 == 0 ? copy : MPI_COMM_WORLD);
                break;
            case 1:
                backwards(copy);
                break;
            case 2:
                MPI_Barrier(copy);
                wildcards(copy);
                break;
            case 3:
                probes(copy);
                break;
            case 4:
                persistent.round();
                break;
            case 5:
                MPI_Barrier(copy);
                none(copy);
                break;
            case 6:
                exchanges(MPI_COMM_WORLD);
                break;
            default:
                communicators();
        }
    }
    persistent.free();
    MPI_Comm_free(&copy);
}

// Threads with tags of their own, while one of them switches.
void play_in_threads(int rounds) {
    constexpr int count = 3;
    std::vector<std::thread> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back([i, rounds] {
            std::minstd_rand random(static_cast<unsigned>(rank * count + i + 1));
            for (int round = 0; round < rounds; ++round) {
                UnderWay in;
                for (int k = 0; k < 3; ++k) in.post(k == 0 ? MPI_ANY_SOURCE : left(), 20 + i, MPI_COMM_WORLD);
                for (int k = 0; k < 3; ++k) send(MPI_Bsend, right(), 20 + i, MPI_COMM_WORLD);
                if (i == 0 && random() % 2 == 0) MPI_Pcontrol(random() % 2 == 0 ? 0 : 1, nullptr);
                for (size_t k = 0; k < 3; ++k) in.wait(k);
            }
        });
    for (std::thread& thread : all) thread.join();
}

// Each message has a tag of its own.
void use_many_tags() {
    constexpr int tags = 140'000;
    for (int part = 0; part < 3; ++part) {
        is_on = part != 1;
        MPI_Pcontrol(is_on ? 1 : 0, nullptr);
        for (int tag = 0; tag < (is_on ? 3 : tags); ++tag) {
            Message out = next_message(), in{};
            const Span span = timed([&] {
                MPI_Sendrecv(out.data(), words, MPI_INT64_T, rank, tag, in.data(), words, MPI_INT64_T, rank,
                             tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            });
            note('S', out[0], span, span.on);
            note('R', in[0], span, span.on);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    const std::string how = argc > 3 ? argv[3] : "";
    has_threads = how == "threads";
    is_known = how.empty() || how == "tags";
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto seed = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 1);
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
    pattern.seed(seed);
    own.seed(seed * 1000 + static_cast<unsigned>(rank) + 1);
    for (int i = 0; i < 10; ++i) pattern(), own();
    book = std::fopen(("known." + std::to_string(rank)).c_str(), "w");
    if (!book) MPI_Abort(MPI_COMM_WORLD, 1);
    std::vector<char> buffer(1 << 20);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    if (has_threads)
        play_in_threads(rounds);
    else if (how == "tags")
        use_many_tags();
    else
        play(rounds);
    void* detached = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&detached), &bytes);
    std::fclose(book);
    MPI_Finalize();
    return 0;
}
