// Life cycle and affinity: OHx OHe OHp OHr OHc OHw OAs OAr.
#include <algorithm>

#include "tests/support/random/activity.hpp"

namespace ovni::test::random_trace {

namespace {

// The thread that an emulator takes a tid of an OAr event for: one of the emitter's process, else of the
// first process of the loom in sorted order.
Thread* found_by(const Thread& emitter, int tid) {
    std::vector<const Process*> processes;
    for (const Process& process : emitter.loom.processes) processes.push_back(&process);
    std::ranges::sort(processes, {}, [](const Process* p) { return std::pair(p->rank, p->pid); });
    processes.insert(processes.begin(), &emitter.process);
    for (const Process* process : processes)
        for (Thread* thread : process->threads)
            if (thread->tid == tid) return thread;
    return nullptr;
}

}  // namespace

bool Life::free(int cpu) const {
    return cpu == virtual_cpu || thread_.world.what.crowded ||
           thread_.loom.running[static_cast<size_t>(cpu)] == 0;
}

int Life::some_cpu() {
    if (thread_.world.what.own_cpus) {
        const int processes = thread_.world.what.processes;
        return thread_.process.number + processes * dice_.below(thread_.world.what.cpus / processes);
    }
    return dice_.below(static_cast<int>(thread_.loom.cpus.size()) + 1) - 1;
}

// A physical CPU depends on the threads that run on it; the virtual one has room for any number.
Resources Life::touches(const Thread& thread, std::optional<int> other_cpu) const {
    Resources all = {{Resource::Kind::thread, thread.number}};
    if (thread_.world.what.crowded) return all;
    for (std::optional<int> cpu : {thread.cpu, other_cpu})
        if (cpu && *cpu != virtual_cpu) all.push_back({Resource::Kind::cpu, *cpu});
    return all;
}

void Life::become(EventCode code, State state) {
    int* running =
        thread_.cpu == virtual_cpu ? nullptr : &thread_.loom.running[static_cast<size_t>(*thread_.cpu)];
    thread_.event(code, {}, touches(thread_));
    if (running && thread_.state == State::running) --*running;
    if (running && state == State::running) ++*running;
    thread_.state = state;
}

void Life::start() {
    int cpu = some_cpu();
    if (cpu == virtual_cpu) cpu = some_cpu();
    if (!free(cpu)) cpu = virtual_cpu;
    thread_.event("OHx",
                  {cpu, dice_.percent(50) ? -1 : thread_.process.threads.front()->tid, u64(dice_.number())},
                  touches(thread_, cpu));
    thread_.cpu = cpu;
    thread_.state = State::running;
    if (cpu != virtual_cpu) ++thread_.loom.running[static_cast<size_t>(cpu)];
}

void Life::end() {
    become("OHe", State::dead);
    thread_.cpu.reset();
}

bool Life::resume() {
    if (!free(*thread_.cpu)) return false;
    become("OHr", State::running);
    return true;
}

void Life::move(Thread& moved, int cpu) {
    std::vector<int>& running = moved.loom.running;
    if (moved.state == State::running) {
        if (*moved.cpu != virtual_cpu) --running[static_cast<size_t>(*moved.cpu)];
        if (cpu != virtual_cpu) ++running[static_cast<size_t>(cpu)];
    }
    moved.cpu = cpu;
}

// The CPU is the one that it has: legal, and without effect.
bool Life::move_itself() {
    int cpu = some_cpu();
    if (thread_.state == State::running && cpu != thread_.cpu && !free(cpu)) return false;
    thread_.event("OAs", {cpu}, touches(thread_, cpu));
    move(thread_, cpu);
    return true;
}

bool Life::move_another() {
    Thread& other = *dice_.one_of(thread_.loom.threads);
    if (thread_.world.what.own_cpus && &other.process != &thread_.process) return false;
    int cpu = some_cpu();
    if (!other.cpu || cpu == other.cpu || found_by(thread_, other.tid) != &other) return false;
    if (other.state == State::running && !free(cpu)) return false;
    thread_.event("OAr", {cpu, other.tid}, touches(other, cpu));
    move(other, cpu);
    return true;
}

bool Life::run_on() {
    switch (dice_.below(10)) {
        case 0:
        case 1:
        case 2:
            return move_itself();
        case 3:
        case 4:
        case 5:
            return move_another();
        case 6:
        case 7:
            become("OHp", State::paused);
            return true;
        case 8:
            become("OHc", State::cooling);
            return true;
        default:
            if (!dice_.percent(30)) return false;
            end();
            return true;
    }
}

void Life::towards_running() {
    switch (thread_.state) {
        case State::running:
            break;
        case State::unknown:
        case State::dead:
            start();
            break;
        case State::cooling:
            become("OHp", State::paused);
            break;
        case State::paused:
            if (dice_.percent(40) || !resume()) become("OHw", State::warming);
            break;
        case State::warming:
            if (resume()) break;
            thread_.event("OAs", {virtual_cpu}, touches(thread_, virtual_cpu));
            move(thread_, virtual_cpu);
            break;
    }
}

bool Life::step() {
    if (thread_.out_of_cpu) return false;
    if (thread_.state == State::running) return run_on();
    if (thread_.active() && dice_.percent(20)) return move_itself();
    if (dice_.percent(20)) return move_another();
    if (thread_.state == State::cooling && dice_.percent(10)) {
        end();
        return true;
    }
    towards_running();
    return true;
}

}  // namespace ovni::test::random_trace
