// The way out of a shared buffer: moves its records into the rings of the threads that wrote them, on their
// behalf, so that everything behind works as if the threads had stored their events there themselves.
//
// A record says which ring it is for, and is an event but for two codes that no event has: notes of gaps, and
// parts of events that are too large for one record. How far each ring is stands in it (RingMoved), and is
// told before the records are given back: a drainer that takes over in between gets them again, and takes
// none twice.
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
        virtual DrainedStream* find(uint32_t number) = 0;  // null where there is none
        virtual DrainedStream* teller_of(const ProcessId& process) = 0;
        virtual void make_room(DrainedStream& stream) = 0;

     protected:
        ~Rings() = default;
    };

    Mover(SharedFile file, Rings& rings);

    // What is there now is what move() moves: the rings that it needs are there, too. How full the buffer is,
    // 0 to 1; 1 where somebody was in the middle of an emission that others wait for.
    double look();
    void move();
    // Everything; the threads are gone.
    void move_all();
    // Nothing is there.
    bool is_done() const { return reader_.is_drained(); }
    // Whether all that the owner of a closed ring wrote has got there.
    bool has_moved_all_of(const RingHeader& ring) const;
    // Before such a ring is finished: what was lost behind its last event.
    void close(DrainedStream& stream, uint32_t number);
    const SharedFileHeader& owner() const { return file_.header(); }

 private:
    // A ring that is in use.
    struct Target {
        DrainedStream* stream = nullptr;  // null: the records are for nobody
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
    uint64_t position_ = 0;  // what is before it has got into the rings
    uint64_t seen_ = 0;      // by look()
    std::map<uint32_t, Target> targets_;
    std::pair<uint64_t, Target*> newest_{UINT64_MAX, nullptr};  // by sender
};

}  // namespace ovni::writer
