// The activities of a thread. Each kind of activity knows the rules of its events and keeps what is open of
// it in one thread.
#pragma once

#include <optional>

#include "tests/support/random/actors.hpp"

namespace ovni::test::random_trace {

class Activity {
 public:
    explicit Activity(Thread& thread) : thread_(thread), dice_(thread.world.dice) {}
    virtual ~Activity() = default;
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;

    // Emits an event, or a few; false: none is legal now, or none came to mind.
    virtual bool step() = 0;
    // Whether something of it is open in the thread.
    virtual bool open() const { return false; }
    // Emits an event towards closing it; the thread is Running and on a CPU. False: something of another
    // activity has to be closed before.
    virtual bool close() { return false; }

 protected:
    Thread& thread_;
    Dice& dice_;
};

// Life cycle and affinity: the only activity that changes the state and the CPU of threads.
class Life : public Activity {
 public:
    using Activity::Activity;
    bool step() override;
    // One event closer to Running.
    void towards_running();
    // The thread was Running or Cooling.
    void end();

 private:
    bool free(int cpu) const;
    int some_cpu();
    void start();
    void become(EventCode code, State state);
    bool resume();
    bool move_itself();
    bool move_another();
    bool run_on();
    static void move(Thread& moved, int cpu);
    Resources touches(const Thread& thread, std::optional<int> other_cpu = {}) const;
};

// Each adds to thread.choices what there is of a model, or of a part of it.
void add_ovni(Thread& thread);
void add_marks(Thread& thread);
void add_kernel(Thread& thread);
void add_counters(Thread& thread);
// Stack channels, idle states, ignored events and tasks of any model, as far as it has them.
void add_states(Thread& thread, char model);

}  // namespace ovni::test::random_trace
