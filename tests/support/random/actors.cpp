#include "tests/support/random/actors.hpp"

#include "tests/support/random/activity.hpp"

namespace ovni::test::random_trace {

Thread::Thread(World& its_world, Loom& its_loom, Process& its_process, int its_tid)
    : world(its_world),
      loom(its_loom),
      process(its_process),
      tid(its_tid),
      number(static_cast<int>(its_loom.threads.size())),
      life(std::make_unique<Life>(*this)) {
    loom.threads.push_back(this);
    process.threads.push_back(this);
    add_ovni(*this);
    add_marks(*this);
    for (char model : world.what.models) add_states(*this, model);
    if (world.what.models.find('K') != std::string::npos) add_kernel(*this);
    if (world.what.models.find('V') != std::string::npos) add_counters(*this);
}

Thread::~Thread() = default;

bool Thread::may(char model) const {
    switch (model) {
        case 'O':
            return !out_of_cpu;
        case 'V':
            return active() && !out_of_cpu;
        case '6':
            return active();
        case 'K':
            return true;
        default:
            return state == State::running;
    }
}

int64_t Thread::next_clock(const Resources& touches) {
    ++events;
    return world.timeline.next(*this, touches) - loom.clock_offset;
}

void Thread::event(EventCode code, Arguments arguments, const Resources& touches) {
    stream->event(code, next_clock(touches), arguments);
}

void Thread::jumbo(EventCode code, Arguments arguments, const Resources& touches) {
    stream->jumbo(code, next_clock(touches), arguments);
}

}  // namespace ovni::test::random_trace
