"""Emulations of whole machines on paper: where time and memory go, and what would help."""
from dataclasses import replace

from emulation_model import Choices, Part, emulate
from simulation import Link, Machine, Storage

NODES, THREADS, EVENTS_OF_NODE, EVENTS_OF_ALL = (16, 64, 256, 1024, 4096), 128, 16e6, 4.096e9
# Assumptions: 100 Gb/s, and a large file system.
FABRIC = Link(latency=1.5e-6, overhead=0.5e-6, gap=0.3e-6, per_byte=1 / 12.5e9)
STORAGE = Storage(targets=128, bytes_per_second=2.5e9, stripe=1 << 20, request=20e-6, round_trip=100e-6, calls=100e3)
NODE = Machine(cores=64, ranks_of_node=1, link=FABRIC, storage=STORAGE, memory=256e9, spread=0.02, jitter=0.05)
ONE_TARGET = replace(NODE, storage=replace(STORAGE, spread=1))

START = ("start", "list", "metadata", "open")
IN_WINDOWS = ("emulate", "agree", "split", "exchange", "merge", "place", "write")
SENT_OR_STORED = ("list", "metadata", "open", "agree", "exchange", "read", "write")

ONCE = Choices(whole_texts=True, one_lists=True)
# Each: name, ranks (0: one a node), how, on which machine.
CHOICES = (
    ("as it is", 0, Choices(), NODE),
    ("(a) windows grow: messages of 8 kB", 0, Choices(message=8192), NODE),
    ("(b) exchange in two stages", 0, Choices(stages=2), NODE),
    ("(c) 1024 ranks", 1024, Choices(), NODE),
    ("(c) 256 ranks", 256, Choices(), NODE),
    ("(c) 64 ranks", 64, Choices(), NODE),
    ("(d) at most 65536 samples", 0, Choices(most_samples=1 << 16), NODE),
    ("(a) (d)", 0, Choices(message=8192, most_samples=1 << 16), NODE),
    ("once: every rank interprets all metadata", 0, replace(ONCE, one_lists=False), NODE),
    ("once: rank 0 lists all directories", 0, replace(ONCE, whole_texts=False), NODE),
    ("once: both", 0, ONCE, NODE),
    ("each output on one target", 0, Choices(), ONE_TARGET),
)


def whole_machines(report, constants):
    for what, events_of in (("weak", lambda nodes: EVENTS_OF_NODE * nodes), ("strong", lambda nodes: EVENTS_OF_ALL)):
        amount = f"{EVENTS_OF_NODE / 1e6:g} M events per node" if what == "weak" else f"{EVENTS_OF_ALL / 1e9:g} G events in all"
        report.heading(f"simulation: nodes of {THREADS} threads, one rank a node, on paper; {what}: {amount}")
        results = {nodes: on_paper(constants, nodes, nodes_of(nodes, events_of(nodes)), Choices(), NODE) for nodes in NODES}
        tables_of(report, what, results)
    report.heading(f"simulation: {NODES[-1]} nodes, {EVENTS_OF_NODE / 1e6:g} M events per node: what would help")
    choices(report, constants)


def nodes_of(count, events):
    return [Part(events / count, THREADS)] * count


def on_paper(constants, ranks, parts, choices_made, machine):
    # Many ranks make many events of the simulation, and their windows are alike.
    return emulate(machine, constants, parts, ranks, choices_made, most_windows=max(8, min(48, (1 << 16) // ranks)))


def in_windows(result):
    return sum(result.phases[phase] for phase in IN_WINDOWS)


def tables_of(report, what, results):
    report.table(["nodes", "wall s", *START, "windows", *IN_WINDOWS],
                 [[str(nodes), of.wall, *(of.phases[phase] for phase in START), in_windows(of), *(of.phases[phase] for phase in IN_WINDOWS)]
                  for nodes, of in results.items()])
    report.table(["nodes", "windows", "calls", "bytes of a message", "memory MB", *(f"MB {phase}" for phase in SENT_OR_STORED)],
                 [[str(nodes), of.windows, of.collectives, of.message_bytes, of.memory / 1e6,
                   *(of.bytes_of_phase[phase] / 1e6 for phase in SENT_OR_STORED)] for nodes, of in results.items()])
    for nodes, of in results.items():
        report.keep("simulation", what, nodes=nodes, wall=of.wall, phases=of.phases, memory=of.memory, bytes=of.bytes_of_phase)
    report.note(limit_of(what, results))


def limit_of(what, results):
    """Where more nodes stop to pay, and the phase that grew."""
    nodes = list(results)
    for fewer, more in zip(nodes, nodes[1:]):
        before, after = results[fewer], results[more]
        # Fixed work per node should take as long; fixed work in all should at least get faster.
        most = 1.5 * results[nodes[0]].wall if what == "weak" else before.wall
        if after.wall > most:
            grown = max(after.phases, key=lambda phase: after.phases[phase] - before.phases[phase])
            return f"stops scaling between {fewer} and {more} nodes: '{grown}' takes {after.phases[grown]:.1f} s of {after.wall:.1f} s there"
    return "scales to the end"


def choices(report, constants):
    nodes = NODES[-1]
    parts, rows, as_it_is = nodes_of(nodes, EVENTS_OF_NODE * nodes), [], None
    for name, ranks, choice, machine in CHOICES:
        of = on_paper(constants, ranks or nodes, parts, choice, machine)
        as_it_is = as_it_is or of.wall
        rows.append([name, str(of.ranks), of.wall, as_it_is - of.wall, *(of.phases[phase] for phase in START[1:]), in_windows(of),
                     of.message_bytes, of.memory / 1e6, of.memory * of.ranks / 1e9])
        report.keep("simulation", name, nodes=nodes, ranks=of.ranks, wall=of.wall, phases=of.phases, memory=of.memory)
    report.table(["choice", "ranks", "wall s", "gain s", *START[1:], "windows", "bytes of a message", "memory MB", "GB of all ranks"],
                 rows)
