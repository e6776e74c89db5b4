"""The constants of the model of ovniemu-mpi, from runs at 1 and 2 ranks; and the runs that it is compared with."""
import statistics
import time

from cases import emulate, statistics_of
from emulation_model import COLLECTIVES_OF_WINDOW, Constants, LISTED, PATH, RECORD, SAMPLES, WINDOW, agreed_bytes
from measure import Program, rounds
from mpi import one_run
from simulation import Link
from traces import Shape

EVENTS, EVENTS_CHECKED = 8_000_000, 12_000_000
FEW, MANY = Shape(8, 64, 8 * 512), Shape(32, 64, 8 * 2048)  # streams, with nearly no events
TINY = Shape(8, 4, 3200)
# Seconds for a record and a level of merging, and for a key and a level of sorting: std::merge and std::stable_sort of 2 to
# 4096 ranks' records and keys. Not measured here.
MERGED, SORTED = 5e-9, 3e-9
# Alone a rank would write in a thread of its own; ranks with a core each would poll without a break.
SETTINGS = ("OVNI_TEST_WRITER=once", "OMPI_MCA_mpi_yield_when_idle=1")


class Measured:
    """All runs, in interleaved rounds."""

    def __init__(self, workshop, stack):
        self.workshop = workshop
        events, checked = EVENTS // workshop.scale, EVENTS_CHECKED // workshop.scale
        learnt = {"equal": (Shape(8, 4, events), 1, 2), "single": (Shape(1, 32, events), 2), "tiny": (TINY, 1, 2), "few": (FEW, 1, 2),
                  "many": (MANY, 1, 2), "owned": (Shape(1, MANY.streams, MANY.events), 2)}
        of_checks = {"equal looms": Shape(8, 4, checked), "looms 1:2:...:8": Shape(8, 4, checked, growing=True),
                     "one loom of one process": Shape(1, 32, checked), "1024 streams": Shape(16, 64, 8 * 1024), "start alone": TINY}
        self.shapes = {name: shape for name, (shape, *_) in learnt.items()} | of_checks
        traces = {shape: stack.enter_context(workshop.trace(shape)) for shape in dict.fromkeys(self.shapes.values())}
        self.traces = {name: traces[shape] for name, shape in self.shapes.items()}
        self.checked = [(name, ranks) for name in of_checks for ranks in (4, 8)]
        runs = [(name, ranks) for name, (_, *all_ranks) in learnt.items() for ranks in all_ranks] + self.checked
        self.programs = {run: self.program(*run) for run in runs}
        rounds(workshop, list(self.programs.values()))
        self.costs = {run: statistics_of(workshop, program) for run, program in self.programs.items()}

    def program(self, name, ranks):
        words = emulate(self.workshop, self.traces[name].path, ranks=ranks)
        return Program(f"{name}, {ranks} ranks", ["env", *SETTINGS, *words], ranks)

    # The shortest of the rounds: whatever else runs on the machine only adds.
    def least(self, name, ranks, what):
        return min(getattr(sample, what) for sample in self.programs[name, ranks].samples)

    def wall(self, name, ranks):
        return self.least(name, ranks, "rank_wall")

    # The busiest rank waits for nobody, and others on the machine hardly change its user and system time.
    def work(self, name, ranks):
        return self.least(name, ranks, "rank_cpu")

    def mean(self, name, ranks, counter):
        return statistics.mean(cost[counter] for cost in self.costs[name, ranks])

    def most(self, name, ranks, counter):
        return max(cost[counter] for cost in self.costs[name, ranks])

    def bytes_of_event(self):
        return self.traces["equal"].in_bytes / self.shapes["equal"].events

    def events_of(self, name):
        """Those of a check, by the size of its trace: ovniemu-mpi knows no more when it deals parts."""
        return self.traces[name].in_bytes / self.bytes_of_event()

    def per_further_stream(self, ranks, figure):
        return max(0.0, figure("many", ranks) - figure("few", ranks)) / (MANY.streams - FEW.streams)


def constants_of(measured):
    return Constants(merged=MERGED, sorted=SORTED, **times_of(measured), **counts_of(measured), **memory_of(measured))


def times_of(measured):
    records = measured.mean("equal", 1, "records_made")
    alone, two, one_busy = (measured.work(name, ranks) - measured.work("tiny", ranks)
                            for name, ranks in (("equal", 1), ("equal", 2), ("single", 2)))
    # alone = emulated + written; two = (emulated + written + moved) / 2; one_busy = emulated + (written + moved) / 2
    moved, emulated = max(0.0, 2 * two - alone), max(0.0, 2 * (one_busy - two))
    written = max(0.0, alone - emulated)
    alone, two = (measured.per_further_stream(ranks, lambda name, ranks: measured.work(name, ranks)) for ranks in (1, 2))
    own = max(0.0, 2 * (alone - two))
    start_cpu = measured.work("tiny", 1)
    return {"start": max(0.0, measured.wall("tiny", 2) - start_cpu), "start_cpu": start_cpu,
            "event": emulated / measured.shapes["equal"].events, "record": written / records, "moved": max(0.0, moved / records - MERGED),
            "stream_all": max(0.0, alone - own), "stream_own": own}


def counts_of(measured):
    def sent(name, ranks):
        """Bytes that a rank sent besides records, which go to the other half of the time."""
        return measured.mean(name, ranks, "bytes_sent") - measured.mean(name, ranks, "records_made") * RECORD / 2

    events, records = measured.shapes["equal"].events, measured.mean("equal", 1, "records_made")
    text = measured.mean("equal", 1, "bytes_written")
    of_stream = 2 * measured.per_further_stream(2, sent)
    windows = measured.mean("tiny", 2, "windows")
    extra = measured.mean("many", 1, "records_made") - measured.events_of("many") * records / events
    # Ranks gather listings and metadata at rank 0, which broadcasts paths and metadata; then they reduce 8 bytes of each
    # stream.
    return {"wire": (of_stream - PATH - LISTED / 2 - 16) / 1.5,
            "sent": sent("tiny", 2) - of_stream * TINY.streams / 2 - agreed_bytes(2, SAMPLES) * windows,
            "collectives": round(measured.mean("tiny", 2, "collectives") - COLLECTIVES_OF_WINDOW * windows),
            "gathers": 2 * (measured.mean("tiny", 2, "messages") - windows),
            "records_of_event": records / events, "records_of_stream": extra / MANY.streams, "text_of_record": text / records,
            "text_of_stream": (measured.mean("many", 1, "bytes_written") - measured.events_of("many") * text / events) / MANY.streams,
            "bytes_of_event": measured.bytes_of_event()}


def memory_of(measured):
    base, in_window = measured.mean("tiny", 2, "peak_memory"), min(measured.mean("equal", 2, "records_made"), WINDOW)
    # One rank has all streams, the other none.
    with_none, with_all = sorted(cost["peak_memory"] for cost in measured.costs["owned", 2])
    return {"base": base, "of_record": (measured.mean("equal", 2, "peak_memory") - base) / in_window,
            "of_stream": max(0.0, with_none - base) / MANY.streams, "of_own_stream": (with_all - with_none) / MANY.streams}


def link_of(workshop):
    """Within a node: nearly all of a short message is work of both sides, and every byte is copied in and out."""
    family = "openmpi" if "openmpi" in workshop.programs.of_families("mpi-calls") else "mpich"
    message = 1e-9 * min(one_run(workshop, family)["ping-pong"][1] for _ in range(3))
    return Link(latency=0.0, overhead=message / 2, gap=message / 2, per_byte=2 * seconds_per_byte_copied())


def seconds_per_byte_copied():
    size = 16 << 20
    one, other, times = memoryview(bytearray(size)), memoryview(bytearray(size)), []
    for _ in range(9):
        begin = time.perf_counter()
        one[:] = other
        times.append(time.perf_counter() - begin)
    return min(times) / size
