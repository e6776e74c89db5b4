// The contents of stream.json: a tree of attributes, addressed by paths with dots, and the members that the
// library itself keeps below "ovni". Not synchronised: the stream's lock covers it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "ovni/private.h"
#include "ring/json_text.hpp"
#include "runtime/process.hpp"

namespace ovni::writer {

// How a stream ended, if not by ovni_thread_free().
struct StreamEnd {
    const char* by;  // "exit", "signal"
    int code;
};

// The system keeps only the lowest byte of the status passed to exit().
constexpr int exit_code_of(int status) {
    return status & 0xff;
}

class Metadata {
 public:
    explicit Metadata(pid_t tid);

    // False if an inner part of the path exists and is no object.
    bool set(const char* path, Json value);
    // Removes a member below "ovni".
    void erase_own(const char* name) { own().erase(name); }
    // Null if there is no such attribute.
    const Json* find(const char* path) const;

    void set_process(const Facts& facts);
    // Sets the name of the run, and when it began.
    void set_run(const Facts& facts);
    void set_rank(int rank, int nranks);
    void add_cpu(Cpu cpu);
    void set_lost(uint64_t events);
    void add_clock_point(const char* reference, const ovni_private_clock_point& point);
    // Adds rank and CPUs: the program's, or the identity's if the program gave none.
    void add_place_of_process(const Facts& facts);
    // Adds the members that are written only at the end: the place of the process, and how the stream ended.
    // `end` is null after ovni_thread_free().
    void finish(const Facts& facts, const StreamEnd* end, uint64_t last_clock);
    // Copies from the parent's metadata what a fork's child needs: models and marks.
    void inherit(const Metadata& parent);
    // Removes the members about the end that finish() added, because the stream goes on.
    void reopen();

    // Compares all members except those that identify the thread or process.
    bool has_equal_thread_metadata(const Metadata& other) const;

    // Grows with each change.
    uint64_t changes() const { return changes_; }

    const Json& root() const { return root_; }
    std::string text() const { return json_text(root_, JsonStyle::pretty); }

 private:
    Json& own();

    Json root_;
    uint64_t changes_ = 0;
    int rank_ = -1, nranks_ = 0;
    bool has_rank_ = false;
    std::vector<Cpu> cpus_;
};

}  // namespace ovni::writer
