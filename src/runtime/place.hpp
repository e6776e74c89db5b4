// The place of a stream: its directory below the roots of the trace, its metadata, and the note next to the
// ring that lets somebody else finish the stream. A stream of ours is placed late, when it is known who the
// process is; nothing of it is on disk before. Call with the stream's lock held. Needs memory.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/metadata.hpp"
#include "runtime/own_ring.hpp"
#include "runtime/thread_life.hpp"

namespace ovni::writer {

class Place {
 public:
    Place(pid_t tid, OwnRing& own, ThreadLife& life) : own_(own), life_(life), tid_(tid), metadata_(tid) {}

    pid_t tid() const { return tid_; }
    Metadata& metadata() { return metadata_; }
    const Metadata& metadata() const { return metadata_; }

    // False: the stream has no place yet. The drainer settles the noted one if somebody wants to read the
    // stream of a thread that may hang.
    bool is_known();
    // The drainer may write the stream from now on: where it goes and who its process is do not change any
    // more.
    void settle(const Facts& facts);
    // The stream ends: settles its place and notes the end, as Metadata::finish().
    void settle_at_end(const Facts& facts, const StreamEnd* end, uint64_t last_clock);
    // Nothing of the stream is to be written: prevent_writing(), then give_up(). A stream between the two is
    // written if the process dies. False if the drainer may have begun with it.
    bool prevent_writing() { return take_for_change(); }
    void give_up();
    // Settles what still can be settled. A signal handler cannot get the memory for it.
    void settle_at_last();
    // Notes who the process is, if that may still change.
    void renew(const Facts& facts);
    // The thread of a small ring is about to emit: it gets a full one, if there is room and the drainer has
    // written nothing yet.
    void leave_small_ring();
    // The program's thread begins: makes stream.obs and stream.json, or renews stream.json if the stream goes
    // on.
    void open_for_program(pid_t tid);
    // The stream ended, so its files were moved out of the temporary directory.
    void leave_temporary() { roots_.temporary.clear(); }

    // Writes for the drainer what stream.json is to say if the process says no more. Allowed without a ring.
    void save_note();
    // Call if the place is known.
    void write_metadata();

 private:
    bool take_for_change();
    void leave_open();
    void leave_settled() { own_.header().place.store(RingPlace::settled, std::memory_order_release); }
    void choose(const Facts& facts);
    void take(const Facts& facts);
    void write_note();
    void make_files();
    std::string chosen_by(const Facts& facts) const;
    std::string directory() const { return roots_.writing() + path_; }

    OwnRing& own_;
    ThreadLife& life_;
    pid_t tid_;
    Roots roots_;
    std::string path_;  // below the roots; empty: not known yet
    struct {
        Roots roots;
        std::string path;
        bool is_identified = false;
    } noted_;
    Metadata metadata_;
};

}  // namespace ovni::writer
