/* Point-to-point messages whose content says who sent them and how long they are, so that they can be
 * checked, and booked even where there is no status. A letter is empty or at least header_ints long. */
#pragma once

#include "account.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator as its ranks see it: a ring. */
struct Ring {
    MPI_Comm comm;
    int rank, ranks, left, right;
};
struct Ring ring_of(MPI_Comm comm);

/* MPI_UNWEIGHTED, out of sight of compilers that know it for no address. */
int* unweighted(void);

enum { header_ints = 3, letter_ints = 40 };

struct Letter {
    int ints[letter_ints]; /* sender in the world, number of ints, tag; then values made of them */
    int length;            /* of one to be sent */
    MPI_Comm comm;
    int source, tag; /* as asked for by the receiver */
};

struct Letter letter_to_send(int length, int tag);
/* Says what will be asked for; the content is made invalid. */
void expect_letter(struct Letter* letter, int source, int tag, MPI_Comm comm);
/* Checks and books a letter that arrived; without status (MPI_STATUS_IGNORE) what it says of itself. */
void receive_letter(const struct Letter* letter, const MPI_Status* status);
void book_letter(const struct Letter* letter, int dest, MPI_Comm comm);

/* The modes of sending: standard, buffered, synchronous, ready. */
struct BlockingSend {
    const char* name;
    int (*call)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
};
struct PostedSend {
    const char* name;
    int (*call)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
};
enum { modes = 4 };
extern const struct BlockingSend blocking_sends[modes];
extern const struct PostedSend posted_sends[modes], persistent_sends[modes];

void send_letter(const struct BlockingSend* mode, const struct Letter* letter, int dest, MPI_Comm comm);

/* Requests that are under way together. */
enum { most_pending = 16 };
struct Pending {
    int count;
    MPI_Request requests[most_pending];
    struct Letter letters[most_pending];
    int receives[most_pending]; /* is this one of a letter that is still to be received? */
};

/* Adds a request of any other kind, and says where it goes. */
MPI_Request* pend(struct Pending* pending);
void pend_receive(struct Pending* pending, int source, int tag, MPI_Comm comm);
void pend_send(struct Pending* pending, const struct PostedSend* mode, int length, int dest, int tag,
               MPI_Comm comm);

/* Wait, Waitall, Waitany, Waitsome, Test, Testall, Testany, Testsome: all until nothing is active any more.
 */
enum { ways_to_complete = 8 };
enum Statuses { with_statuses, without_statuses };
void complete(struct Pending* pending, int way, enum Statuses statuses);

#ifdef __cplusplus
}
#endif
