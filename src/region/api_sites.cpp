// Reports of MPI sites and of new threads to the controller: ovni/private.h.
#include <algorithm>
#include <new>

#include "ovni/private.h"
#include "region/controller.hpp"
#include "region/own_process.hpp"
#include "region/recorder.hpp"
#include "ring/library_threads.hpp"

#pragma GCC visibility push(default)

using namespace ovni;
using namespace ovni::region;

namespace {

const Running* running_now() {
    controller().begin_here();
    return controller().running();
}

}  // namespace

size_t ovni_private_code_alarms(const ovni_private_code_alarm** alarms) {
    const Running* running = running_now();
    if (running == nullptr) return 0;
    *alarms = running->code_alarms().data();
    return running->code_alarms().size();
}

void ovni_private_hit_site(const uint16_t* alarms, size_t count) {
    controller().hit({alarms, count});
}

int ovni_private_site_is_armed(const uint16_t* alarms, size_t count) {
    return std::any_of(alarms, alarms + count,
                       [](uint16_t alarm) { return controller().is_armed_somewhere(alarm); });
}

void ovni_private_follow_arming(void (*armed)(uint16_t alarm, int here, int elsewhere)) {
    if (Running* running = controller().running()) running->follow_arming(armed);
}

void ovni_private_hit_code(int kind, uint64_t value, int64_t detail) {
    constexpr AlarmKind kinds[] = {AlarmKind::ssc, AlarmKind::magic, AlarmKind::cpuid, AlarmKind::int3};
    if (!writer::is_inside()) controller().hit(kinds[kind - OVNI_PRIVATE_CODE_SSC], value, detail);
}

int ovni_private_is_armed_here(uint16_t alarm) {
    return controller().is_armed_here(alarm);
}

uint64_t ovni_private_code_until_next(void) {
    return controller().instructions_until_next();
}

void ovni_private_code_count(uint64_t instructions) {
    controller().execute(instructions);
}

void ovni_private_code_block(uint64_t instructions) {
    controller().begin_block(instructions);
}

int ovni_private_code_begins_sample(void) {
    return controller().begins_sample();
}

int ovni_private_code_may_fire(void) {
    return !is_amid_of_program();
}

int ovni_private_code_is_shared(void) {
    const Running* running = controller().running();
    return running && running->engine().shares_counts();
}

int ovni_private_code_arms_others(void) {
    const Running* running = controller().running();
    return running && running->arms_others();
}

void ovni_private_code_accuracy(int* exact, const char** images, const char** counter) {
    const Running* running = controller().running();
    *exact = running && running->counting().is_exact;
    *images = running ? running->counting().images.c_str() : "";
    *counter = running ? running->counting().counter.c_str() : "";
}

void ovni_private_follow_fork(void (*in_child)()) {
    if (Running* running = controller().running()) running->follow_fork(in_child);
}

void ovni_private_begin_own_thread(void) {
    own_thread.phase = Phase::helper;
    alignas(writer::LibraryThread) static char for_good[sizeof(writer::LibraryThread)];
    new (for_good) writer::LibraryThread;
}

void ovni_private_end_with_program(void) {
    if (writer::program_threads_have_ended()) writer::end_as_main_thread();
}

void ovni_private_follow_registers(ovni_private_registers* registers) {
    registers_function.store(registers, std::memory_order_release);
}

int ovni_private_is_first_process(void) {
    return is_started_by_ovnirun();
}

int ovni_private_is_launcher(void) {
    return is_launcher();
}

const uint8_t* ovni_private_awaited_calls(void) {
    const Running* running = running_now();
    return running && !running->awaited_calls().empty() ? running->awaited_calls().data() : nullptr;
}

void ovni_private_hit_call(uint32_t function) {
    controller().hit(AlarmKind::mpi, function);
}

void ovni_private_hit_slow_call(uint32_t function, uint64_t ns) {
    controller().hit(AlarmKind::slow_call, function, static_cast<int64_t>(ns));
}

int ovni_private_awaits_pcontrol(void) {
    const Running* running = running_now();
    return running && running->awaits_pcontrol();
}

void ovni_private_hit_pcontrol(int level, const char* text, size_t size) {
    controller().hit(AlarmKind::pcontrol, std::string_view(text, size), level);
}

int ovni_private_is_job_scope(void) {
    controller().begin_here();
    return controller().delivery().is_job_scope();
}

uint64_t ovni_private_job_wish(void) {
    return controller().delivery().job().wish();
}

void ovni_private_job_agreed(uint64_t wish) {
    if (!writer::is_inside()) controller().delivery().agree(wish);
}

int ovni_private_control_start(void) {
    return static_cast<int>(controller().start());
}

void ovni_private_tell_control_starts(uint64_t seen, uint64_t missing, int to_warn) {
    controller().leave_report_to_job();
    if (to_warn) controller().warn_about_starts(seen, missing);
}

uint32_t ovni_private_number_thread(void) {
    recorder::expect_thread();
    return writer::is_inside() ? UINT32_MAX : controller().number_next_thread();
}

void ovni_private_thread_starts(uint32_t number) {
    controller().thread_starts(number);
}

#pragma GCC visibility pop
