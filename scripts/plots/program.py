"""The common parts of the programs: what they draw, and how they end."""
import os
import sys

from prv import TraceError

MPI_FUNCTION, THREAD_STATE = 25, 4


def chosen_type(trace, wanted):
    """The event type that the user wants; by default what threads do in MPI, or their state where there is no MPI."""
    if wanted is None:
        return next((t for t in (MPI_FUNCTION, THREAD_STATE) if trace.has(t)), THREAD_STATE)
    if not trace.has(wanted):
        there = "; ".join(f"{t} ({trace.legend.title(t)})" for t in sorted(trace.types_shown()))
        raise TraceError(f"{trace.source}: no row shows event type {wanted}, but these: {there or 'none'}")
    return wanted


def names_of_ranks(applications, ranks):
    """"rank 3", or "rank 1.3" where there are several applications, as ovnitop --mpi has it."""
    several = len(set(applications)) > 1

    def name(app, rank):
        if rank < 0:
            return f"no rank in {app}" if several else "no rank"
        return f"rank {app}.{rank}" if several else f"rank {rank}"

    return [name(app, rank) for app, rank in zip(applications, ranks)]


def run(main):
    """Ends with the status of a program; a fault is one line."""
    name = os.path.basename(sys.argv[0])
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as e:
        sys.exit(f"{name}: {e.filename}: {e.strerror}" if e.filename else f"{name}: {e}")
    except (TraceError, ImportError) as e:
        sys.exit(f"{name}: {e}")
