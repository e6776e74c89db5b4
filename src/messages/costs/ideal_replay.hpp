// Replays what processes did as if their network were ideal: computation takes as long as it did, calls of
// MPI take no time but that of waiting for data. A receive ends at once if its message was sent before, else
// when it is sent; a collective ends when all members whose data is received have entered. The time in MPI
// that is then left is serialisation, and the rest was transfer (M. Casas, R. Badia, J. Labarta: Automatic
// analysis of speedup of MPI applications, ICS 2008; the definitions of efficiencies are those of the POP
// centre of excellence).
//
// Points come in the order of time in which they happened, which is an order in which they can be replayed:
// data is sent before it is received. Memory: messages that are under way, collectives that are in progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ovni {

// Plain data, that ranks exchange.
struct ReplayPoint {
    // Points of equal times are replayed in this order.
    enum class What : uint16_t { begin, close_region, open_region, send, enter, receive, leave, end };
    enum class Gets : uint16_t {
        nothing,
        from_root,
        from_all,
        from_lower_ranks
    };  // a member of a collective

    int64_t time = 0;
    int64_t useful = 0;  // time outside of MPI that the process has had so far
    uint64_t id = 0;     // of the message or collective; a region
    uint32_t process = 0;
    uint32_t members = 0;  // of the collective, that are recorded
    int32_t rank = 0;      // in its communicator
    What what = What::begin;
    Gets gets = Gets::nothing;
    bool is_root = false;
};
static_assert(std::is_trivially_copyable_v<ReplayPoint>);

// The time of a process in the run, or in a region of it: ns.
struct ReplayedTime {
    int64_t elapsed = 0, useful = 0, ideal = 0;
};

class IdealReplay {
 public:
    explicit IdealReplay(size_t processes) : processes_(processes) {}

    void take(const ReplayPoint& point);

    using RegionOfProcess = std::pair<int64_t, uint32_t>;  // region, process; the run is region 0
    const std::map<RegionOfProcess, ReplayedTime>& times() const { return times_; }
    // Points that got data before it was sent: clocks of nodes differ.
    uint64_t out_of_order() const { return out_of_order_; }

 private:
    struct Now {
        int64_t time = 0, useful = 0, ideal = 0;
    };
    struct Process {
        Now now;
        std::map<int64_t, Now> open;  // regions, and the run
    };
    struct Collective {
        uint32_t left = 0;
        int64_t root = -1, last = -1;
        std::vector<std::pair<int32_t, int64_t>>
            entered;  // ranks and times, if members get those of lower ranks
    };
    void close(Process& process, uint32_t number, int64_t region);
    void receive(Process& process, uint64_t message);
    static int64_t data_for(const ReplayPoint& point, const Collective& collective);

    std::vector<Process> processes_;
    std::unordered_map<uint64_t, int64_t> sent_;
    std::unordered_map<uint64_t, Collective> collectives_;
    std::map<RegionOfProcess, ReplayedTime> times_;
    uint64_t out_of_order_ = 0;
};

}  // namespace ovni
