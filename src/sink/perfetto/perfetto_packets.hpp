// Packets of a Perfetto trace, one after the other in memory. The numbers of fields are those of the public
// format (perfetto.dev, protos/perfetto/trace). All packets are of one sequence, whose first one has the
// names that others refer to. Times are ns since the first event of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ovni {

// The name of a slice: a number that names() explains, or a text in its place.
struct PerfettoName {
    uint64_t number = 0;
    std::string text = {};
};
using PerfettoNames = std::vector<std::pair<uint64_t, std::string>>;

// The details of a slice, as far as they are known.
class PerfettoArguments {
 public:
    enum class Key : uint8_t {
        peer,
        tag,
        bytes,
        communicator,
        posted,
        sent,
        received,
        root,
        rank,
        members,
        scope,
        turn,
        waited,
        cause,
        cause_time,
        clock_bound,
        function,
        target,
        window,
        file,
        transferred,
        complete,
        count
    };
    static std::string_view name(Key key);

    enum class ArgumentKind : uint8_t { whole, natural, text };
    struct Argument {
        Key key;
        ArgumentKind kind;
        uint64_t bits;
        std::string text;
    };
    void add(Key key, int64_t value);
    void add(Key key, uint64_t value);
    void add(Key key, std::string text);
    std::span<const Argument> all() const { return all_; }

 private:
    std::vector<Argument> all_;
};

// An end of an arrow between two slices.
struct PerfettoFlow {
    enum class End : uint8_t { begins, ends } end = End::begins;
    uint64_t number = 0;  // 0: none
};

class PerfettoPackets {
 public:
    using Track = uint64_t;  // not 0
    // The first packet of the sequence begins it.
    enum class Turn : uint8_t { first, later };

    std::string_view bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

    // The first packet also names the keys of arguments.
    void names(const PerfettoNames& names, Turn turn);
    struct Process {
        int64_t number;
        std::string name, label;
    };
    void process(Track track, const Process& process);
    struct Thread {
        int64_t process, number;
        std::string name;
    };
    void thread(Track track, const Thread& thread);
    // Tracks of one parent stand in the order of `rank`.
    struct Child {
        Track parent;
        int64_t rank;
        std::string name;
    };
    void child(Track track, const Child& child);
    void counter(Track track, const Child& child);

    void begin(int64_t time, Track track, const PerfettoName& name, const PerfettoArguments& arguments = {},
               PerfettoFlow flow = {});
    void end(int64_t time, Track track);
    void instant(int64_t time, Track track, const PerfettoName& name, const PerfettoArguments& arguments,
                 PerfettoFlow flow = {});
    void count(int64_t time, Track track, int64_t value);

 private:
    std::string bytes_;
};

}  // namespace ovni
