/* A C11 program that uses the API as a parallel runtime would. */
#include <assert.h>
#include <ovni.h>
#include <stddef.h>
#include <unistd.h>

static_assert(sizeof(struct ovni_ev) == 28, "packed");
static_assert(sizeof(union ovni_ev_payload) == 16, "packed");
static_assert(sizeof(struct ovni_jumbo_payload) == 5, "packed");
static_assert(offsetof(struct ovni_jumbo_payload, data) == 4, "packed");
static_assert(sizeof(OVNI_MAX_EV_BUF) == sizeof(long long), "type");

static void emit(const char* mcv) {
    struct ovni_ev ev = {0};
    ovni_ev_set_mcv(&ev, mcv);
    ovni_ev_set_clock(&ev, ovni_clock_now());
    ovni_ev_emit(&ev);
}

static void begin(void) {
    struct ovni_ev ev = {0};
    int32_t cpu = 0, creator = -1;
    uint64_t tag = 0;
    ovni_ev_set_mcv(&ev, "OHx");
    ovni_ev_set_clock(&ev, ovni_clock_now());
    ovni_payload_add(&ev, (uint8_t*)&cpu, sizeof(cpu));
    ovni_payload_add(&ev, (uint8_t*)&creator, sizeof(creator));
    ovni_payload_add(&ev, (uint8_t*)&tag, sizeof(tag));
    ovni_ev_emit(&ev);
}

int main(void) {
    ovni_version_check();
    ovni_proc_init(1, "node.c", getpid());
    ovni_thread_init(getpid());
    ovni_add_cpu(0, 0);
    begin();
    ovni_mark_type(1, OVNI_MARK_STACK, "phase");
    ovni_mark_push(1, 2);
    ovni_mark_pop(1, 2);
    emit("OHe");
    ovni_flush();
    ovni_thread_free();
    ovni_proc_fini();
    return 0;
}
