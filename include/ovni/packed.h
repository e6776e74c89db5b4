/* Packed streams: version 2 of stream.obs. A reader for other programs needs this page and format.h alone.
 *
 * The PLAIN STREAM is what format.h describes: a header of 8 bytes, then events. All offsets of events, in
 * stream.gaps.json and in messages, are offsets in the plain stream.
 *
 * FILE     "ovni", u32 2, then blocks one behind the other. Unpacking all blocks and putting the header of
 *          version 1 before them gives the plain stream.
 * BLOCK    a header of 64 bytes, the body, and zeros up to a multiple of 8:
 *
 *      0  char[4] "oblk"
 *      4  u32     CRC32C of all that follows in the block, with the zeros
 *      8  u32     bytes of the body, without the zeros
 *     12  u32     bytes of the events, plain: whole events, at most 1 MiB if the block is packed
 *     16  u32     events
 *     20  u32     bytes of column 1; 0xffffffff: the body has the events as they are
 *     24  u32     bytes of column 2; the rest of the body is column 3
 *     28  u32     0
 *     32  u64     offset of the first event in the plain stream
 *     40  u64     clock of the first event
 *     48  u64     least clock
 *     56  u64     greatest clock
 *
 * A block has at least one event, and begins where the one before ends in the plain stream. The body of a
 * packed block is shorter than its events. Numbers are little endian, clocks compare without sign. A block
 * stands alone: nothing is kept from one to the next.
 *
 * A COLUMN is a sequence of bits, the least significant bit of a byte first. Numbers in bits have their
 * least significant bit first. What follows is written in these forms:
 *
 *     bits(n)     a number of n bits
 *     below(n)    a number below n: in as many bits as n - 1 needs; nothing if n is 1
 *     gamma       a number x from 0 on: k zeros, a one, and the k lower bits of x + 1, whose highest bit is k
 *     word        a number x of 32 bits, as z = x << 1 ^ x >> 31 (with the sign of x kept): bit 0 if z is 0;
 *                 else bit 1, bits(5) with the number k of the highest bit of z, bits(k) with those below
 *
 * HEADS AND TOKENS. The head of an event is its first 4 bytes. Heads are numbered from 0 as they come. The
 * words of an event are its payload as numbers of 32 bits, with zeros behind it; a jumbo event has none here.
 * A token is: a head; whether the clock is that of the event before (that of the header, for the first
 * event); and the difference, word by word, to the last event with that head (to zeros, if there is none).
 * Tokens are numbered from 0 as they come. There are at most 65535 tokens and 1000 heads in a block.
 *
 * COLUMN 1 tells the token of each event. A PLACE runs along among the events that are known already; at
 * first there is none.
 *
 *     gamma       that many events have the tokens of the events at the place and behind it; the place
 *                 moves on behind each. 0 if there is no place. If these are all events, the column ends.
 *     bits(1)     1: below(number of events so far) follows, the new place. The next event has the token
 *                 of the event there, which is none of a jumbo event. The place moves on behind it.
 *                 0: below(tokens so far + 1) follows, a token, which the next event has. The place
 *                 moves on, if there is one. A token with the next new number is described:
 *                     below(heads so far + 1), its head; if that is new, bits(32) with it
 *                     bits(1), 1 if the clock is that of the event before
 *                     a word for each 4 bytes of payload, also incomplete ones
 *                 Behind the token of a jumbo event stand its data: gamma with their size, and a word
 *                 for each 4 bytes (with zeros behind the last byte): the difference to that word of the
 *                 data of the last event with that head, or to 0 if it had none there.
 *     ... and again from the beginning, up to the last event.
 *
 * COLUMN 2 has the lengths of the steps of the clock, for each event whose token has another clock than the
 * event before. A step d (modulo 2^64) has the number k of its highest bit. Each token has a centre c, in
 * 16ths of a bit; e = k - (c + 8 >> 4). If |e| < 24: |e| zeros, a one, and, unless e is 0, a bit 1 if e is
 * negative. Else 24 zeros and bits(6) with k. Then the centre moves by 4 towards k: c + 4 if e > 0, c - 4 if
 * e < 0. The centre of a new token is that of the token with its head that stood last in column 1 by its
 * number; 160 if its head is new.
 *
 * COLUMN 3 has the k bits of each step below its highest one.
 */
#ifndef OVNI_PACKED_H
#define OVNI_PACKED_H

#include <stdint.h>

enum {
    OVNI_PACKED_VERSION = 2,
    OVNI_PACKED_BLOCK_HEADER = 64,
    OVNI_PACKED_MOST_TOKENS = 65535,
    OVNI_PACKED_MOST_HEADS = 1000,
    OVNI_PACKED_CENTRE = 160, /* of the first token of a head, in 16ths of a bit */
    OVNI_PACKED_CENTRE_STEP = 4,
    OVNI_PACKED_FAR = 24,               /* bits from the centre */
    OVNI_PACKED_LARGEST_BLOCK = 1 << 20 /* bytes of events in a packed block */
};

#define OVNI_PACKED_MAGIC "oblk"
#define OVNI_PACKED_PLAIN 0xffffffffu

struct ovni_packed_header {
    char magic[4];
    uint32_t crc;
    uint32_t body, events_bytes, events;
    uint32_t column1, column2;
    uint32_t zero;
    uint64_t offset, first_clock, least_clock, greatest_clock;
};

#endif
