// The place of a stream: its directory below the roots of the trace, its metadata, and the note next to the
// ring, with which another process can finish the stream. A stream of ours is placed when the identity of the
// process is known; nothing of it is on disk before. Call with the stream's lock held. Needs memory.
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

    // False if the stream has no settled place yet. If a reader requests the stream of a thread that may
    // hang, the drainer settles the noted place.
    bool is_known();
    // Fixes the place and the identity: from now on the drainer may write the stream.
    void settle(const Facts& facts);
    // Settles the place and notes the end of the stream, as Metadata::finish().
    void settle_at_end(const Facts& facts, const StreamEnd* end, uint64_t last_clock);
    // To drop a stream, call prevent_writing(), then give_up(). If the process dies between the two, the
    // stream is written. False if the drainer may have begun to write.
    bool prevent_writing() { return take_for_change(); }
    void give_up();
    // Settles the place if possible. A signal handler cannot get the memory for it.
    void settle_at_last();
    // Notes the identity of the process, if it may still change.
    void renew(const Facts& facts);
    // Call before the thread of a small ring emits: replaces the ring by a full one, if there is room and the
    // drainer has written nothing yet.
    void leave_small_ring();
    // Call when the program initialises the thread: makes stream.obs and stream.json, or renews stream.json
    // if the stream goes on.
    void open_for_program(pid_t tid);
    // Call when the stream ended and its files were moved out of the temporary directory.
    void leave_temporary() { roots_.temporary.clear(); }

    // Writes the note: the stream.json that the drainer writes if the process reports nothing further.
    // Allowed without a ring.
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
