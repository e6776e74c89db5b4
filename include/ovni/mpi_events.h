/* Events of the model `mpi`, version 1.4.0: what a thread does in MPI, with which peers and how much.
 *
 * FUNCTIONS. Every function has an event of entering and one of leaving. The 49 functions that version 1.0.0
 * knows have codes of their own. Every other has a number f, its place in the table
 * share/ovni/mpi_functions.txt, which never changes; two codes carry it:
 *
 *     MX[   enter   u16 f, ...
 *     MX]   leave   u16 f, ...
 *
 * DETAILS follow as payload, behind f if there is one; a count of bytes has 64 bits, but 48 behind f. The
 * function's record says which details: a column that scripts/mpi_table.py makes from the roles of its
 * arguments. Within a record the size of the payload, in brackets, says which. A reader of version 1.0.0
 * ignores details. They are missing (a payload of 0 bytes, or of 2 with f) if the call failed, or if the
 * recording began during the call.
 *
 *     enter                        payload
 *     send, receive, exchange      i32 peer, i32 tag, u32 communicator, u32 request (16), or u16 f, i32 peer,
 *                                  i32 tag, u32 communicator (14), and an MXp if it posts a request
 *     probe, persistent            u16 f, i32 peer, i32 tag, u32 communicator (14)
 *     one request                  u32 request (4), or u16 f, u32 request (6)
 *     many requests                u32 how many (4), or u16 f, u32 how many (6)
 *     collective                   i32 root, u32 communicator, u64 bytes sent (16)
 *     any other with an object     u16 f, i32 root or target, u32 object, u48 bytes (16)
 *
 *     leave
 *     send, blocking receive       u64 bytes, i32 peer, i32 tag (16), or u16 f, u48 bytes and so on (16)
 *     exchange                     as a receive, of the message received
 *     probe that found a message   u16 f, i32 peer, i32 tag, u32 request of the message, or 0 (14)
 *     any that made a request      u64 bytes, u32 request (12), or u16 f, u48 bytes, u32 request (12)
 *     collective, one-sided, I/O   u64 bytes received (8), or u16 f, u48 bytes (8); of I/O those transferred
 *     maker of an object           u16 f, u32 object (6)
 *
 * Bytes of a call that made a request are those to send or, of a collective or one-sided one, to receive. The
 * bytes of an enter are sent only if the leave has details: a call that fails sends nothing. A peer is a rank
 * in the communicator, or in the remote group of an intercommunicator. A posted receive leaves without
 * details. Bytes sent count at the leave of the call, or at MXs. Peer or tag -1 of a received message means
 * that MPI does not report its sender or tag.
 *
 * DETAIL EVENTS stand between the enter and the leave of the call that they belong to, at the clock of one of
 * them:
 *
 *     MXp   u32 request                                        this call, whose enter has no room for it,
 *                                                              posts that request
 *     MXs   i32 peer, i32 tag, u32 communicator, u32 request   a persistent send was started (enter), unless
 *                                                              an MXc of this call ends it as failed
 *     MXo   i32 peer, i32 tag, u32 communicator, u32 request   a persistent receive was started (enter)
 *     MXg   u32 request, u32 start, u32 made                   a persistent collective was started (enter),
 *                                                              or the partitioned message of the next event
 *     MXc   u32 request, u32 how                               a request has ended
 *     MXr   u64 bytes, i32 peer, i32 tag                       the message that it, the MXc before, received
 *     MXb   u64 bytes                                          behind MXs: its bytes; behind MXc: transferred
 *                                                              by that I/O; else sent by this exchange
 *
 * OBJECTS are communicators, windows and files; they have numbers in one sequence per process, which are not
 * used again. 1 is MPI_COMM_WORLD, 2 MPI_COMM_SELF, 0 none. Every stream defines any other object before the
 * event that first names it, by jumbo events:
 *
 *     MXC+  u32 object, u32 flags, u64 id, i32 rank, u32 size, u32 remote size, u32 first, i32 member...
 *     MXO+  u32 object, u32 kind, u32 communicator, name, 0    a window or file, made on that communicator
 *     MXN+  u32 object, name, 0                                its name from now on
 *
 * `id` is equal on all members of a communicator, and no other communicator has it. `rank` is that of this
 * process. Only rank 0 (of both groups) lists the members: as ranks in MPI_COMM_WORLD, with those of the
 * remote group behind them. A list that needs several events goes on from `first`; there is none if the
 * communicator has the ranks of MPI_COMM_WORLD. A member of another world is -1: its own rank is in the event
 * that it records. In an intercommunicator between worlds rank 0 of either group lists its own group.
 *
 * REQUESTS have numbers in one sequence per process; a persistent request keeps its number.
 *
 * A persistent collective that all members started together has equal `made` and `start` on all of them:
 * start number `start` of the persistent collective number `made` of its communicator, even if not all of
 * these were recorded. Bytes in the call that makes it are those of one start. Both sides of a partitioned
 * message have equal numbers, too: `made` counts the calls of MPI_Psend_init or MPI_Precv_init with its peer,
 * tag and communicator. Such messages are matched among themselves, and MXk does not count them.
 *
 * UNRECORDED CALLS, made while recording is off, still take part in the order of messages. A send or receive
 * counts as recorded if all of its call is recorded; a posted receive, if its enter is. Others are counted,
 * and the next thread that records a call records the counts before it enters that call; MPI_Finalize records
 * the rest. These are jumbo events, so that they can be recorded while recording is off:
 *
 *     MXk+  u32 communicator, u32 flags, u64 id, i32 rank, i32 peer, i32 tag, u32 sends, u32 receives
 *                                     so many messages to and from the peer that were sent and posted; of
 *                                     peer -1: so many collectives that were entered on the communicator,
 *                                     fences of its windows included, its end and what only some of its
 *                                     members call left out
 *     MXu+  u32 communicator, u32 flags, u64 id, i32 rank, i32 peer, i32 tag, u32 request
 *                                     a posted receive that is under way: no MXk counts it
 *     MXe+  u32 request, u32 how, i32 peer, i32 tag
 *                                     a request that the stream shows under way has ended, with that message
 *
 * Number, flags, id and rank are those of MXC. Only calls of functions that --mpi-functions selects count.
 * MXk of communicator 0 means that the process could not count all calls, so nothing is known of the calls
 * before. If a stream of a process requires 1.3.0, this is valid for all pauses of the process: the gaps with
 * the reasons `paused` and `region`.
 *
 * CALL SITES are the places in the program that call MPI:
 *
 *     MX@   u32 site                 calls of the site's function come from there, from the next enter on
 *
 * until another site of that function follows, or a gap begins. Behind a gap, and after site 0, the sites of
 * all functions are unknown. Sites have numbers in one sequence per process, from 1. stream.json describes
 * them, and the files (modules) with their code:
 *
 *     "mpi": {"modules": {"0": "1fa3...07 55d0c4a2b000 /home/me/heat"},
 *             "sites": {"1": "MPI_Send 0+0x11d5", "2": "MPI_Recv 0+0x11f0 0+0x12a7"}}
 *
 * A module has its build id or -, the address that its lowest one became in this process, and its path. A
 * site has the function and the return addresses of its callers, 16 at most, the innermost first: module and
 * address in the file, or ?+ and the address in memory. "callers" is the requested number, such as "3", if
 * more than one: readers add callers that the compiler inlined, which have no return address, up to that
 * number.
 *
 * USE OF CPUS by the process between MPI_Init and MPI_Finalize: "use" in "mpi" of stream.json has wall_ns,
 * cpu_ns (of its threads) and involuntary_switches (getrusage); and, where /proc/stat tells it, cpus
 * ("0-3,8": those that it might use), busy_ns (what all programs used of them) and children_ns (CPU time of
 * its children that have ended). All are texts.
 *
 * A stream with nothing but the 49 codes requires version 1.0.0; one with a function of MPI 4, whose numbers
 * begin with OVNI_MPI_FIRST_OF_MPI_4, requires 1.4.0, one that pauses 1.3.0, one with MX@ 1.2.0, one with any
 * other event MX 1.1.0.
 *
 * EXAMPLES, as bytes of a stream: flags with payload size - 1, code, clock 0x1122334455667788, payload;
 * everything little endian. MPI_Send of 5 MPI_INT to rank 1, tag 7, on MPI_COMM_WORLD:
 *
 *     0f  4d 53 5b  88 77 66 55 44 33 22 11  01 00 00 00  07 00 00 00  01 00 00 00  00 00 00 00    MS[
 *     0f  4d 53 5d  88 77 66 55 44 33 22 11  14 00 00 00 00 00 00 00  01 00 00 00  07 00 00 00     MS]
 *
 * MPI_Comm_split (f is 70, 0x46) of MPI_COMM_WORLD, which makes the object 3:
 *
 *     0f  4d 58 5b  88 77 66 55 44 33 22 11  46 00  ff ff ff ff  01 00 00 00  00 00 00 00 00 00    MX[
 *     05  4d 58 5d  88 77 66 55 44 33 22 11  46 00  03 00 00 00                                    MX]
 *
 * MPI_Wait for request 9, a receive that took 20 bytes from rank 1 with tag 7:
 *
 *     03  4d 57 5b  88 77 66 55 44 33 22 11  09 00 00 00                                           MW[
 *     07  4d 58 63  88 77 66 55 44 33 22 11  09 00 00 00  00 00 00 00                              MXc
 *     0f  4d 58 72  88 77 66 55 44 33 22 11  14 00 00 00 00 00 00 00  01 00 00 00  07 00 00 00     MXr
 *     00  4d 57 5d  88 77 66 55 44 33 22 11                                                        MW]
 *
 * MPI_Isend_c (f is 377, 0x179) of 5 MPI_INT to rank 1, tag 7, on MPI_COMM_WORLD, whose request is 9:
 *
 *     0d  4d 58 5b  88 77 66 55 44 33 22 11  79 01  01 00 00 00  07 00 00 00  01 00 00 00          MX[
 *     03  4d 58 70  88 77 66 55 44 33 22 11  09 00 00 00                                           MXp
 *     0f  4d 58 5d  88 77 66 55 44 33 22 11  79 01  14 00 00 00 00 00  01 00 00 00  07 00 00 00    MX]
 *
 * The next call of MPI_Send comes from site 3:
 *
 *     03  4d 58 40  88 77 66 55 44 33 22 11  03 00 00 00                                           MX@
 *
 * While recording was off, 3 messages were sent to rank 1 of MPI_COMM_WORLD (rank 0 of it is this process)
 * with tag 7, and 2 received from there:
 *
 *     13  4d 58 6b  88 77 66 55 44 33 22 11  24 00 00 00  01 00 00 00  02 00 00 00                 MXk
 *         01 00 00 00 00 00 00 00  00 00 00 00  01 00 00 00  07 00 00 00  03 00 00 00  02 00 00 00
 *
 * In the trace of Paraver the function is a value of type 25: 1 to 49 for those with codes, else
 * OVNI_MPI_FIRST_VALUE + f - 1, which is 1000 + f: 1070 for MPI_Comm_split.
 */
#ifndef OVNI_MPI_EVENTS_H
#define OVNI_MPI_EVENTS_H

#define OVNI_MPI_VERSION_OF_CODES "1.0.0"
#define OVNI_MPI_VERSION_OF_DETAILS "1.1.0"
#define OVNI_MPI_VERSION_OF_SITES "1.2.0"
#define OVNI_MPI_VERSION_OF_PAUSES "1.3.0"
#define OVNI_MPI_VERSION_OF_MPI_4 "1.4.0"
#define OVNI_MPI_VERSION OVNI_MPI_VERSION_OF_MPI_4

#define OVNI_MPI_ENTER "MX["
#define OVNI_MPI_LEAVE "MX]"
#define OVNI_MPI_POSTS "MXp"
#define OVNI_MPI_SEND_STARTED "MXs"
#define OVNI_MPI_RECEIVE_STARTED "MXo"
#define OVNI_MPI_STARTED "MXg"
#define OVNI_MPI_REQUEST_ENDED "MXc"
#define OVNI_MPI_MESSAGE "MXr"
#define OVNI_MPI_BYTES "MXb"
#define OVNI_MPI_SITE "MX@"
#define OVNI_MPI_COMMUNICATOR "MXC"
#define OVNI_MPI_OBJECT "MXO"
#define OVNI_MPI_NAME "MXN"
#define OVNI_MPI_UNRECORDED "MXk"
#define OVNI_MPI_UNDER_WAY "MXu"
#define OVNI_MPI_UNRECORDED_END "MXe"

#define OVNI_MPI_FIRST_VALUE 1001 /* of the function with number 1 */

#define OVNI_MPI_FIRST_OF_MPI_4 369 /* number of a function */

#define OVNI_MPI_REGION_MARK 99 /* mark type of the regions of MPI_Pcontrol */

/* Peers and tags, targets and roots that are no ranks. */
enum {
    OVNI_MPI_ANY = -1,      /* source, tag: any; root, target: the function has none */
    OVNI_MPI_NOBODY = -2,   /* MPI_PROC_NULL */
    OVNI_MPI_THIS_RANK = -3 /* root of an intercommunicator: MPI_ROOT */
};

/* How a request has ended. */
enum { OVNI_MPI_COMPLETED = 0, OVNI_MPI_CANCELLED = 1, OVNI_MPI_FREED = 2, OVNI_MPI_FAILED = 3 };

/* Numbers of objects that no event defines. */
enum { OVNI_MPI_NO_OBJECT = 0, OVNI_MPI_WORLD = 1, OVNI_MPI_SELF = 2 };

/* The number of an unknown site, and the greatest number of callers of a site. */
enum { OVNI_MPI_NO_SITE = 0, OVNI_MPI_MOST_CALLERS = 16 };

/* Flags of a communicator. */
enum {
    OVNI_MPI_INTER = 1,    /* an intercommunicator */
    OVNI_MPI_OF_WORLD = 2, /* its ranks are those of MPI_COMM_WORLD: no members are listed */
    OVNI_MPI_FOREIGN = 4,  /* some members belong to another world, and the id is not known to them */
    OVNI_MPI_MEMBERS = 8,  /* members follow */
    OVNI_MPI_BY_USE = 16   /* known by its use only, as the making of it or of its parent was not seen: its
                              other   members may have another id */
};

/* Kinds of the objects of MXO. */
enum { OVNI_MPI_WINDOW = 1, OVNI_MPI_FILE = 2 };

#endif
