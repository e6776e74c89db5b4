// The tracks of a Perfetto trace: their numbers, names and order. Perfetto wants numbers of processes and
// threads that no other node has, so processes are counted in the order of ranks, and threads behind them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/records/schema.hpp"
#include "sink/perfetto/perfetto_packets.hpp"

namespace ovni {

class PerfettoTracks {
 public:
    using Track = PerfettoPackets::Track;

    // `schema` outlives this.
    explicit PerfettoTracks(const Schema& schema);

    // Adds the tracks that every trace has.
    void describe_all(PerfettoPackets& packets) const;
    // `type`: a place in the types of the thread file.
    Track of_thread(uint32_t row) const { return 1 + schema_.processes.size() + row; }
    Track of_type(uint32_t row, uint32_t type) const {
        return of_thread(static_cast<uint32_t>(schema_.threads.size())) + row * children_ + type;
    }
    Track of_waits(uint32_t row) const { return of_type(row, waits()); }
    void describe_type(PerfettoPackets& packets, uint32_t row, uint32_t type) const;
    void describe_counter(PerfettoPackets& packets, uint32_t row, uint32_t type) const;
    void describe_waits(PerfettoPackets& packets, uint32_t row) const;

    // Adds the thread of that row: the rank of its process, or the name of the row.
    void add_peer(PerfettoArguments& arguments, PerfettoArguments::Key key, uint32_t row) const;

 private:
    uint32_t waits() const { return static_cast<uint32_t>(children_ - 1); }
    PerfettoPackets::Child child(uint32_t row, uint32_t type) const;

    const Schema& schema_;
    uint64_t children_;               // of each thread
    std::vector<uint32_t> order_;     // of processes, by rank
    std::vector<int64_t> number_of_;  // by process, from 1
};

}  // namespace ovni
