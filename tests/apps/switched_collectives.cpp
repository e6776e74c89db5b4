// Meets in collectives while each rank switches recording on and off by itself, and writes each of its calls
// to known.RANK:
//
//     number begin end recorded     by the clock of the trace; recorded: 1 or 0
//
// All members give a collective the same number, and no other has it. Arguments: SEED COUNT [chains]. With
// chains somebody else switches.
#include <mpi.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

extern "C" [[gnu::weak]] uint64_t ovni_clock_now();

namespace {

std::minstd_rand pattern, own;  // alike on all ranks; of this one
std::FILE* book = nullptr;
bool is_on = true, is_switching = true;

int64_t now() {
    if (ovni_clock_now != nullptr) return static_cast<int64_t>(ovni_clock_now());
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void maybe_switch() {
    if (!is_switching || own() % 4 != 0) return;
    is_on = !is_on;
    MPI_Pcontrol(is_on ? 1 : 0, nullptr);
}

template <class Call>
void meet(int64_t number, Call call) {
    const int64_t begin = now();
    call();
    std::fprintf(book, "%lld %lld %lld %d\n", static_cast<long long>(number), static_cast<long long>(begin),
                 static_cast<long long>(now()), is_on ? 1 : 0);
    maybe_switch();
}

// A communicator, and a window on it if there is one.
struct Meeting {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win window = MPI_WIN_NULL;
    int64_t which = 0;
};

// Begun and not yet complete.
struct UnderWay {
    std::vector<MPI_Request> requests;
    std::deque<std::array<int, 2>> buffers;
};

void make_another(MPI_Comm comm, int64_t number) {
    MPI_Comm another = MPI_COMM_NULL;
    meet(number, [&] { MPI_Comm_dup(comm, &another); });
    meet(10'000'000 + number, [&] { MPI_Barrier(another); });
    MPI_Comm_free(&another);
    maybe_switch();
}

// Only one member calls it.
void make_of_one(MPI_Comm comm) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int chosen = static_cast<int>(pattern() % static_cast<unsigned>(size));
    if (rank != chosen) return;
    MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Comm_create_group(comm, one, 7, &alone);
    MPI_Comm_free(&alone);
    MPI_Group_free(&one);
    MPI_Group_free(&all);
}

void step(const Meeting& at, int64_t number, UnderWay& under_way) {
    number = 10 * number + at.which;
    int value = 1, sum = 0;
    std::vector<int> all(64);
    switch (pattern() % 8) {
        case 0:
            return meet(number, [&] { MPI_Barrier(at.comm); });
        case 1:
            return meet(number, [&] { MPI_Bcast(&value, 1, MPI_INT, 0, at.comm); });
        case 2:
            return meet(number, [&] { MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, at.comm); });
        case 3:
            return meet(number, [&] { MPI_Gather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, 0, at.comm); });
        case 4:
            return meet(number, [&] {
                at.window == MPI_WIN_NULL ? MPI_Barrier(at.comm) : MPI_Win_fence(0, at.window);
            });
        case 5:
            return make_another(at.comm, number);
        case 6:
            return make_of_one(at.comm);
        default:
            under_way.requests.push_back(MPI_REQUEST_NULL);
            under_way.buffers.emplace_back();
            return meet(number, [&] {
                auto& [one, of_all] = under_way.buffers.back();
                MPI_Iallreduce(&one, &of_all, 1, MPI_INT, MPI_SUM, at.comm, &under_way.requests.back());
            });
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const unsigned seed = static_cast<unsigned>(std::atoi(argv[1]));
    const int count = std::atoi(argv[2]);
    is_switching = argc < 4;
    pattern.seed(seed);
    own.seed(seed * 1000 + static_cast<unsigned>(rank));
    book = std::fopen(("known." + std::to_string(rank)).c_str(), "w");
    if (!book) MPI_Abort(MPI_COMM_WORLD, 1);
    std::vector<Meeting> places(3);
    places[0].comm = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &places[1].comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &places[2].comm);
    places[1].which = 1;
    places[2].which = 2 + rank % 2;
    std::vector<int> memory(16);
    // Open MPI 4.1 now and then fails to make windows on both halves of a world at a time.
    for (Meeting& place : places) {
        maybe_switch();
        if (place.which > 1) continue;
        MPI_Win_create(memory.data(), 16 * sizeof(int), sizeof(int), MPI_INFO_NULL, place.comm,
                       &place.window);
    }
    UnderWay under_way;
    for (int i = 1; i <= count; ++i) {
        step(places[pattern() % places.size()], i, under_way);
        if (i % 5 != 0) continue;
        MPI_Waitall(static_cast<int>(under_way.requests.size()), under_way.requests.data(),
                    MPI_STATUSES_IGNORE);
        under_way.requests.clear();
        maybe_switch();
    }
    MPI_Waitall(static_cast<int>(under_way.requests.size()), under_way.requests.data(), MPI_STATUSES_IGNORE);
    for (Meeting& place : places)
        if (place.window != MPI_WIN_NULL) MPI_Win_free(&place.window);
    std::fclose(book);
    MPI_Finalize();
}
