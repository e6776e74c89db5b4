// The events of one location, a thread, in the order of time. Regions nest: if a region is left below regions
// of other types, those are left too, and entered again. The times of a type are those of its row, the value
// on top of its stack. A receive has a request if the call that posts it posts no other. A send by request is
// completed at the thread that posts it.
#pragma once

#include <otf2/otf2.h>

#include <compare>
#include <cstdint>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "sink/otf2/otf2_archive.hpp"
#include "sink/otf2/otf2_event_file.hpp"
#include "sink/otf2/otf2_functions.hpp"
#include "sink/otf2/otf2_object_events.hpp"

namespace ovni {

struct Otf2Region {
    uint32_t type = 0;  // a place in the types of the thread file
    uint32_t padding = 0;
    int64_t value = 0;
    auto operator<=>(const Otf2Region&) const = default;
};

// The end of a message, or a collective, as events have them. Ranks are those in the communicator.
struct Otf2Message {
    uint32_t peer, communicator, tag;
    uint64_t bytes;
};
struct Otf2CollectiveCall {
    int64_t begin, end;  // of the call that completes it: the end; INT64_MAX: never
    Otf2Collective what;
    uint32_t communicator, root;
    uint64_t sent, received;
};

// The type of calls of MPI.
struct Otf2MpiType {
    uint32_t type = UINT32_MAX;               // a place in the types of the thread file
    std::vector<int64_t> posting_receives{};  // values of functions that post one receive; ascending
};

class Otf2Location {
 public:
    // All outlive this.
    Otf2Location(Otf2Archive& archive, uint64_t number, const Otf2MpiType& mpi);

    // `collectives`: of the whole trace, by begin. Call before all else.
    void expect(std::vector<Otf2CollectiveCall> collectives) { collectives_ = std::move(collectives); }
    void expect(std::vector<Otf2ObjectCall> objects) { objects_ = std::move(objects); }
    // A message that will be received at `time`, by a receive that was posted at `posted`.
    void expect(int64_t posted, int64_t time, const Otf2Message& message) {
        ends_.push({time, ends_made_++, End::What::receive, posted, message, {}, 0});
    }
    // Call these in the order of time: a type shows a value, a message is sent.
    void show(int64_t time, const Otf2Region& region);
    void send(int64_t time, const Otf2Message& message);
    // `complete`: when its request is complete; INT64_MAX: never.
    void send_by_request(int64_t time, int64_t complete, const Otf2Message& message);
    void count(int64_t time, uint32_t counter, int64_t value);
    // All regions end.
    void finish(int64_t time);

    // The place of a region is its number in events.
    const std::vector<Otf2Region>& regions() const { return regions_; }
    uint64_t events() const { return file_.events(); }
    uint64_t last_time() const { return file_.last_time(); }

 private:
    // A record that is written at the end of a call.
    struct End {
        enum class What : uint8_t { receive, send, object, request_of_object, collective };
        int64_t time;
        uint64_t order;
        What what;
        int64_t posted;  // of a receive
        Otf2Message message;
        Otf2CollectiveCall collective;
        uint64_t request;   // of a send, or of a collective that does not block; 0: none
        size_t object = 0;  // the call, in objects_
        bool operator>(const End& other) const {
            return std::tie(time, what, order) > std::tie(other.time, other.what, other.order);
        }
    };
    uint32_t number_of(const Otf2Region& region);
    void enter(int64_t time, const Otf2Region& region);
    void leave(int64_t time);
    void write_ends(int64_t until);
    void write(const End& end);
    void receive(const End& end);
    void end_collective(const End& end);
    void begin_collectives(int64_t time);
    void begin_objects(int64_t time);

    Otf2EventFile file_;
    Otf2ObjectEvents object_events_;
    const Otf2MpiType& mpi_;
    std::vector<Otf2Region> stack_;
    std::map<Otf2Region, uint32_t> numbers_;
    std::vector<Otf2Region> regions_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::vector<Otf2CollectiveCall> collectives_;
    std::vector<Otf2ObjectCall> objects_;
    size_t next_collective_ = 0, next_object_ = 0;
    std::map<int64_t, uint64_t> posted_;  // by the time of the call: requests of receives
    uint64_t ends_made_ = 0, requests_ = 0;
};

}  // namespace ovni
