// What sites of MPI report to the controller: ovni/private.h.
#include "ovni/private.h"

#pragma GCC visibility push(default)

const uint8_t* ovni_private_awaited_calls(void) {
    return nullptr;
}
void ovni_private_hit_call(uint32_t) {}
void ovni_private_hit_slow_call(uint32_t, uint64_t) {}
int ovni_private_awaits_pcontrol(void) {
    return 0;
}
void ovni_private_hit_pcontrol(int, const char*, size_t) {}
int ovni_private_is_job_scope(void) {
    return 0;
}
uint64_t ovni_private_job_wish(void) {
    return 0;
}
void ovni_private_job_agreed(uint64_t) {}

#pragma GCC visibility pop
