/* The byte layout of runtime streams (stream.obs), the only place that knows it.
 *
 * A stream is a header of 8 bytes (magic "ovni", u32 version) and events one after the other, without
 * padding, in the byte order of the machine that wrote them (little endian in practice):
 *
 *   0  u8      low nibble: payload size code n, 0 = no payload, else n + 1 bytes; high nibble: flags
 *   1  char[3] model, category, value
 *   4  u64     clock in nanoseconds
 *  12  ...     payload; of a jumbo event u32 S and S bytes of data (its size code is ignored)
 *
 * Usable from C and C++; no function fails or keeps state.
 */
#ifndef OVNI_FORMAT_H
#define OVNI_FORMAT_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    OVNI_FORMAT_VERSION = 1,
    OVNI_FORMAT_STREAM_HEADER = 8, /* bytes before the first event */
    OVNI_FORMAT_EVENT_HEADER = 12, /* flags, code, clock */
    OVNI_FORMAT_PAYLOAD_MAX = 16,  /* bytes of payload of a normal event */
    OVNI_FORMAT_EVENT_MAX = 28,    /* bytes of a normal event */
    OVNI_FORMAT_JUMBO_SIZE = 4,    /* bytes of the size field S of a jumbo event */
    OVNI_FORMAT_JUMBO = 0x10,      /* flag of a jumbo event */
    OVNI_FORMAT_CODE_AT = 1,       /* offset of model, category, value */
    OVNI_FORMAT_CLOCK_AT = 4       /* offset of the clock */
};

static const char OVNI_FORMAT_MAGIC[4] = {'o', 'v', 'n', 'i'};

/* The flags byte of a normal event with `payload` bytes of payload: 0 or 2 to 16. */
static inline uint8_t ovni_format_flags(unsigned payload) {
    return (uint8_t)(payload == 0 ? 0 : payload - 1);
}

/* Bytes of payload of a normal event, from its flags byte. */
static inline unsigned ovni_format_payload(uint8_t flags) {
    unsigned code = flags & 0x0fu;
    return code == 0 ? 0 : code + 1;
}

static inline int ovni_format_is_jumbo(uint8_t flags) {
    return (flags & OVNI_FORMAT_JUMBO) != 0;
}

static inline uint32_t ovni_format_load_u32(const void* p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t ovni_format_load_u64(const void* p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Bytes of the whole event at `event`, of which `available` bytes may be read; 0 if they do not hold its
 * size. If the result exceeds `available`, the event is incomplete. */
static inline uint64_t ovni_format_event_size(const uint8_t* event, uint64_t available) {
    if (available < OVNI_FORMAT_EVENT_HEADER) return 0;
    if (!ovni_format_is_jumbo(event[0])) return OVNI_FORMAT_EVENT_HEADER + ovni_format_payload(event[0]);
    if (available < OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE) return 0;
    return (uint64_t)OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE +
           ovni_format_load_u32(event + OVNI_FORMAT_EVENT_HEADER);
}

/* The clock of the event at `event`. */
static inline uint64_t ovni_format_clock(const uint8_t* event) {
    return ovni_format_load_u64(event + OVNI_FORMAT_CLOCK_AT);
}

#ifdef __cplusplus
}
#endif

#endif
