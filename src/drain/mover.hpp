// Moves records from a shared buffer into the rings of the threads that wrote them. Then the drainer works as
// if the threads had stored their events there themselves.
//
// A record names its ring. It is an event, a note of a gap, or a part of an event that is too large for one
// record; special codes distinguish these (shared_record.hpp). The progress is stored in each ring
// (RingMoved), before the records are released. A drainer that takes over in between gets these records
// again, and skips those already moved.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "drain/drained_stream.hpp"
#include "drain/shared_reader.hpp"
#include "ring/shared_file.hpp"
#include "ring/shared_record.hpp"

namespace ovni::writer {

class Mover {
 public:
    // The rings of the process.
    class Rings {
     public:
        virtual DrainedStream* find(uint32_t number) = 0;  // null if there is none
        virtual DrainedStream* reporter_of(const ProcessId& process) = 0;
        virtual void make_room(DrainedStream& stream) = 0;

     protected:
        ~Rings() = default;
    };

    Mover(SharedFile file, Rings& rings);

    // Notes the records that are there now, whose rings exist by now; move() moves these. Returns how full
    // the buffer is, 0 to 1; 1 if an emission in progress holds others up.
    double look();
    void move();
    // Moves everything. Call if the threads are dead.
    void move_all();
    // True if nothing is left.
    bool is_done() const { return reader_.is_drained(); }
    // True if all events of a closed ring's owner are in the ring.
    bool has_moved_all_of(const RingHeader& ring) const;
    // Call before a closed ring is finished: notes events lost after its last event.
    void close(DrainedStream& stream, uint32_t number);
    const SharedFileHeader& owner() const { return file_.header(); }

 private:
    // A ring that is in use.
    struct Target {
        DrainedStream* stream = nullptr;  // null: the records are dropped
        uint32_t generation = 0;
        bool is_changed = false;
        RingMoved moved{};
    };

    Target* target_of(uint64_t sender);
    void forget_missing();
    void lose_elsewhere();
    void load(Target& target, DrainedStream* stream, uint32_t generation);
    void take(const SharedRecord& record);
    void take_event(Target& target, const SharedRecord& record);
    void take_part(Target& target, const SharedRecord& record);
    void raise(Target& target, uint8_t* header);
    bool make_room(Target& target, uint64_t bytes);
    void store(Target& target, const void* bytes, size_t size);
    void add_note(Target& target, RingNote note);
    void lose(Target& target, uint64_t events, uint64_t until);
    void commit(Target& target);
    void commit_all();

    SharedFile file_;
    Rings& rings_;
    SharedReader reader_;
    uint64_t position_ = 0;  // records before it are in the rings
    uint64_t seen_ = 0;      // end of the buffer as seen by look()
    std::map<uint32_t, Target> targets_;
    std::pair<uint64_t, Target*> newest_{UINT64_MAX, nullptr};  // sender and its target
};

}  // namespace ovni::writer
