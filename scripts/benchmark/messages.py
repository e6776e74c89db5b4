"""The case messages: what it costs to match the messages of a trace, which is read twice for it."""
import re
import subprocess

from cases import emulate
from measure import BenchError, LONGEST, Program, rounds
from report import figures_of
from traces import Shape

TIMES_WITHOUT = 1.5  # asked for: the time with matching, in times that without
BYTES_OF_END = 48  # asked for: of a send or a receive while it is matched
RANKS = 2


def shapes(scale):
    """(what, shape): many ranks; one key with 10 million messages; 100 000 receives and as many sends under way at a time."""
    yield "512 ranks in a ring", Shape(8, 64, 16_000_000 // scale, "messages")
    yield "one key, 10 M messages", Shape(2, 1, 40_000_000 // scale, "messages", 0)
    yield "100 000 pending", Shape(2, 1, 5_600_000 // scale, "messages", 100_000 // scale)


def messages(workshop, report):
    for what, shape in shapes(workshop.scale):
        report.heading(f"messages: {what}: {shape.name} (mix, streams, events)")
        with workshop.trace(shape) as trace:
            matching(workshop, report, what, trace)


def count(workshop, trace):
    done = subprocess.run([workshop.programs.need("ovnitop"), "--messages", trace.path], capture_output=True, text=True, timeout=LONGEST)
    found = re.match(r"(\d+) messages", done.stdout)
    if not found or "without a" in done.stdout:
        raise BenchError(f"ovnitop --messages: {done.stderr.strip()[-300:]}{done.stdout[:300]}")
    return int(found[1])


def matching(workshop, report, what, trace):
    matched = count(workshop, trace)
    programs = []
    for name, ranks in (("ovniemu", 0), (f"ovniemu-mpi, {RANKS} ranks", RANKS)):
        if ranks and not workshop.programs.mpi:
            report.note("no MPI: ovniemu-mpi is skipped")
            continue
        programs.append((Program(name, emulate(workshop, trace.path, ranks=ranks), ranks=ranks),
                         Program(f"{name}, --no-messages", emulate(workshop, trace.path, "--no-messages", ranks=ranks), ranks=ranks)))
    rounds(workshop, [program for pair in programs for program in pair])
    rows = []
    for pair in programs:
        for program in pair:
            rows.append([program.name, program.median("wall"), program.median("cpu"), program.times(pair[1], "wall"),
                         program.times(pair[1], "cpu"), program.median("peak_kib") / 1e3, f"{program.spread():.0%}"])
            report.keep("messages", what, program=program.name, messages=matched, **figures_of(program))
    report.table(["program", "wall s", "u+s", "x wall", "x u+s", "peak MB", "spread"], rows)
    report.note(f"{matched} messages; with matching {trace.shape.events / matched:.1f} events to a message")
    for with_them, without in programs:
        times = with_them.times(without, "wall")
        report.goal("messages", f"{what}, {with_them.name}: times without matching, at most", f"{times:.2f}", TIMES_WITHOUT,
                    times <= TIMES_WITHOUT)
        # Messages of one key are matched by one rank.
        of_end = 1024 * (with_them.median("peak_kib") - without.median("peak_kib")) / matched / 2
        if with_them.ranks:
            report.note(f"{with_them.name}: bytes that matching adds to the peak of the largest rank, for each end of a message: {of_end:.0f}")
        else:
            report.goal("messages", f"{what}, {with_them.name}: bytes that matching adds to the peak for each end of a message, at most",
                        f"{of_end:.0f}", BYTES_OF_END, of_end <= BYTES_OF_END)
