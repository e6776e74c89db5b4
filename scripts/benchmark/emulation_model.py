"""What ovniemu-mpi does, step by step, on a simulated machine: time of each phase, counters, memory."""
import heapq
import math
import random
from dataclasses import dataclass, field, replace

from simulation import Engine, FileSystem, Meeting, Servers

RECORD, KEY, POSITION = 32, 16, 80  # bytes: a record, a sample of one, what a rank says of its progress
WINDOW, WINDOW_ALONE = 32768, 8192  # records
SAMPLES = 64
COLLECTIVES_OF_WINDOW = 5
PATH, LISTED = 40, 70               # bytes on the wire: a stream's path, a directory that was listed
# A stream took so much when every rank still interpreted the texts of all: s, bytes sent, bytes kept.
WHOLE_TEXTS = {"stream_all": 39e-6, "wire": 900.0, "of_stream": 2900.0}
READ_CALLS, OPEN_CALLS, LIST_CALLS = 5, 2, 2  # of metadata: per stream that is read, that is opened; per directory
PHASES = ("start", "list", "metadata", "open", "emulate", "agree", "split", "exchange", "merge", "place", "write")


@dataclass
class Constants:
    """Seconds and bytes; per event, per record, per stream."""
    start: float = 0.1        # latency of MPI
    start_cpu: float = 0.05   # work of MPI and of program start, of each rank
    event: float = 50e-9      # merge and emulation
    record: float = 40e-9     # both lines of text, written
    moved: float = 5e-9       # a record's way to its slice
    merged: float = 5e-9      # a record and a level of merging
    sorted: float = 3e-9      # a key and a level of sorting
    stream_all: float = 10e-6  # every rank, for every stream
    stream_own: float = 20e-6  # the rank that reads it
    wire: float = 600.0       # metadata of a stream
    base: float = 32e6        # memory of a rank: MPI, code
    of_record: float = 300.0  # a record of a window: queue, room, slice, text of it
    of_stream: float = 2900.0
    of_own_stream: float = 20e3
    collectives: int = 64     # at start and end
    gathers: float = 4.0      # at start and end, with a message each of every rank but one
    sent: float = 0.0         # by each rank at start and end, beside what grows with the streams
    records_of_event: float = 1.0
    records_of_stream: float = 0.0  # at its start and end
    text_of_record: float = 60.0
    text_of_stream: float = 0.0  # of the records at its start and end
    bytes_of_event: float = 17.0


@dataclass(frozen=True)
class Choices:
    """How the emulation goes about it; the defaults are what it does."""
    message: int = 0          # a window grows with the ranks, so that messages have so many bytes
    samples: int = SAMPLES    # of each rank
    most_samples: int = 0     # of all ranks: each then gives fewer
    stages: int = 1           # of the exchange: 2 goes by rows and columns of a square
    whole_texts: bool = False  # every rank interprets the metadata of all streams, as it did once
    one_lists: bool = False    # rank 0 lists all directories, as it did once
    writer_thread: bool = True  # where cores are free

    def window(self, ranks):
        return max(WINDOW, self.message * ranks // RECORD) if ranks > 1 else WINDOW_ALONE

    def samples_of(self, ranks):
        return max(2, min(self.samples, self.most_samples // ranks)) if self.most_samples else self.samples


@dataclass(frozen=True)
class Part:
    """What is dealt to ranks."""
    events: float
    streams: float


@dataclass
class Result:
    ranks: int
    wall: float = 0.0
    phases: dict = field(default_factory=dict)  # mean of the ranks: with waiting for others their sum is the wall time
    work: float = 0.0                           # user + sys of all ranks; who waits and polls takes more
    busiest: float = 0.0                        # of one rank, the most
    windows: int = 0
    collectives: float = 0.0
    messages: float = 0.0                       # of a rank
    message_bytes: float = 0.0
    bytes_sent: float = 0.0
    records_written: float = 0.0
    largest_slice: float = 0.0
    memory: float = 0.0
    bytes_of_phase: dict = field(default_factory=dict)


def deal(parts, ranks):
    """Heaviest first to the rank that has the least, as src/session/deal/parts.cpp."""
    load = [(0.0, r) for r in range(ranks)]
    events, streams = [0.0] * ranks, [0.0] * ranks
    for part in sorted(parts, key=lambda part: -part.events):
        least, rank = load[0]
        heapq.heapreplace(load, (least + part.events, rank))
        events[rank] += part.events
        streams[rank] += part.streams
    return events, streams


def agreed_bytes(ranks, samples):
    """What one rank says in a window: progress, samples, counts, whether all is well, lengths of its text."""
    return POSITION + 16 if ranks == 1 else POSITION + KEY * samples + 8 * ranks + 8 + 16


class Emulation:
    def __init__(self, machine, constants, parts, ranks, choices=Choices(), seed=1, most_windows=64):
        if choices.whole_texts:
            constants = replace(constants, **WHOLE_TEXTS)
        self.machine, self.constants, self.ranks, self.choices = machine, constants, ranks, choices
        self.engine = Engine()
        self.random = random.Random(seed)
        self.events, own = deal(parts, ranks)
        self.streams, self.parts = sum(own), len(parts)
        self.own = max(own)
        self.makers = sum(1 for streams in own if streams)
        c = constants
        self.made = [c.records_of_event * events + c.records_of_stream * streams for events, streams in zip(self.events, own)]
        self.records, most = sum(self.made), max(self.made)
        text = c.records_of_event * sum(self.events) * c.text_of_record + self.streams * c.text_of_stream
        self.text_of_record = text / self.records
        self.windows = max(1, math.ceil(most / choices.window(ranks)))
        # Windows are alike: where there are many, some stand for all.
        self.simulated = min(self.windows, most_windows)
        nodes = math.ceil(ranks / machine.ranks_of_node)
        self.cores = [Servers(self.engine, machine.cores) for _ in range(nodes)]
        self.files = FileSystem(self.engine, machine.storage) if machine.storage else None
        self.speed = [max(0.5, self.random.gauss(1, machine.spread)) for _ in range(nodes)]
        self.spent = dict.fromkeys(PHASES, 0.0)
        self.last = [0.0] * ranks
        self.written = [None] * ranks  # the moment at which the writer thread of a rank is done
        self.text = [None] * ranks     # formatted, not yet written: bytes, and where they go
        self.placed = 0.0
        self.largest = 0.0
        self.work_of = [[0.0, 0.0] for _ in range(ranks)]  # of each rank: at the start, in windows
        self.in_windows = 0
        self.meetings()

    def meetings(self):
        link, ranks, c = self.machine.link, self.ranks, self.constants
        wire = self.streams * c.wire

        def meeting(seconds):
            return Meeting(self.engine, ranks, lambda: seconds)
        samples = self.choices.samples_of(ranks)
        self.begun = meeting(c.start)
        self.top = meeting(link.broadcast(ranks, self.parts * PATH))
        paths = link.broadcast(ranks, self.streams * PATH)
        self.listed = meeting(paths if self.choices.one_lists else link.gather(ranks, self.streams * LISTED) + paths)
        self.known = meeting(link.gather(ranks, wire) + link.broadcast(ranks, wire))
        self.origin = Meeting(self.engine, ranks, self.begin_windows)
        self.agreed = meeting(link.allgather(ranks, POSITION))
        self.sampled = meeting(link.allgather(ranks, KEY * samples))
        self.counted = meeting(link.alltoall(ranks, 8))
        self.placing = meeting(link.allreduce(ranks, 8) + link.allgather(ranks, 16))
        self.cut = Meeting(self.engine, ranks, self.draw_slices)
        self.ended = meeting(0.0)
        self.slices = []

    def begin_windows(self):
        self.in_windows = 1
        return self.machine.link.allreduce(self.ranks, 8 * self.streams)

    # Splitters are samples of all ranks: few ranks come evenly, those of many as if at random.
    def draw_slices(self):
        samples, ranks = self.choices.samples_of(self.ranks), self.ranks
        sigma = min(math.sqrt(ranks / 6) / samples, 1 / math.sqrt(samples)) if ranks > 1 else 0.0
        drawn = [max(0.0, self.random.gauss(1, sigma)) for _ in range(ranks)]
        scale = self.records / self.windows / sum(drawn)
        self.slices = [scale * each for each in drawn]
        self.starts, at = [], self.placed
        for each in self.slices:
            self.starts.append(at)
            at += each * self.text_of_record
        self.placed = at
        self.largest = max(self.largest, max(self.slices))
        return 0.0

    def work(self, rank, seconds):
        node = rank // self.machine.ranks_of_node
        noise = max(0.2, self.random.gauss(1, self.machine.jitter)) if self.machine.jitter else 1.0
        seconds *= self.speed[node] * noise
        self.work_of[rank][self.in_windows] += seconds
        return self.cores[node].serve(seconds)

    def mark(self, rank, phase, times=1.0):
        self.spent[phase] += (self.engine.now - self.last[rank]) * times
        self.last[rank] = self.engine.now

    def ask(self, calls):
        return self.files.ask(calls) if self.files else 0.0

    def course(self, rank):
        yield from self.start(rank)
        times = self.windows / self.simulated
        for w in range(self.simulated):
            yield from self.window(rank, w, times)
        if self.written[rank]:
            yield self.written[rank]
        yield from self.store(rank)
        yield self.ended
        self.mark(rank, "write")

    def start(self, rank):
        c, ranks, choices = self.constants, self.ranks, self.choices
        yield self.work(rank, c.start_cpu)
        yield self.begun
        self.mark(rank, "start")
        # One directory per stream, per process (some 8 streams) and per loom.
        directories = self.streams * 9 / 8 + self.parts
        if not choices.one_lists:
            if rank == 0:
                yield self.ask(LIST_CALLS)
            yield self.top
            yield self.ask(LIST_CALLS * directories / ranks)
        elif rank == 0:
            yield self.ask(LIST_CALLS * directories)
        yield self.listed
        self.mark(rank, "list")
        share = self.streams / ranks
        # In pieces, so that clients share the metadata server.
        for _ in range(8 if self.files else 0):
            yield self.ask(READ_CALLS * share / 8)
        yield self.work(rank, c.stream_own * share / 2)
        yield self.known
        yield self.work(rank, self.streams * c.stream_all)
        self.mark(rank, "metadata")
        for _ in range(8 if self.files else 0):
            yield self.ask(OPEN_CALLS * self.own / 8)
        yield self.work(rank, c.stream_own * self.own / 2)
        yield self.origin
        self.mark(rank, "open")

    def window(self, rank, w, times):
        c, ranks, link = self.constants, self.ranks, self.machine.link
        events = self.events[rank] / self.windows
        read = self.read(rank, w, events * c.bytes_of_event)
        yield self.work(rank, events * c.event)
        yield read
        self.mark(rank, "emulate", times)
        yield self.agreed
        self.mark(rank, "agree", times)
        if ranks > 1:
            yield self.sampled
            keys = self.choices.samples_of(ranks) * ranks
            yield self.work(rank, keys * math.log2(keys) * c.sorted)
            self.mark(rank, "split", times)
            yield self.counted
        yield self.cut
        records = self.slices[rank]
        if ranks > 1:
            yield self.engine.now + self.exchange_seconds(self.made[rank] / self.windows, records)
            self.mark(rank, "exchange", times)
            yield self.work(rank, records * (c.moved + math.ceil(math.log2(ranks)) * c.merged))
            self.mark(rank, "merge", times)
        yield from self.hand_to_writer(rank, records, times)

    def exchange_seconds(self, made, got):
        ranks, link, stages = self.ranks, self.machine.link, self.choices.stages
        size = max(made, got) * RECORD * (ranks - 1) / ranks
        if stages == 1:
            return link.exchange(ranks - 1, size)
        return stages * link.exchange(math.ceil(ranks ** (1 / stages)) - 1, size)

    def read(self, rank, w, size):
        if not self.files:
            return 0.0
        return self.files.read(rank * 7919 + w * 104729, size)

    def hand_to_writer(self, rank, records, times):
        c, machine = self.constants, self.machine
        own_thread = self.choices.writer_thread and machine.cores >= 2 * machine.ranks_of_node
        if self.written[rank]:
            yield self.written[rank]
        yield self.placing
        self.mark(rank, "place", times)
        format_seconds = records * c.record
        size, offset = records * self.text_of_record, self.starts[rank]
        if own_thread and self.ranks > 1:
            done = Written(self.engine)
            self.written[rank] = done.meeting
            self.engine.start(done.run(self.write_and_format(rank, format_seconds, size, offset)))
        else:
            yield from self.write_and_format(rank, format_seconds, size, offset)
        self.mark(rank, "write", times)

    # The text of the slice before is written, then this one is formatted.
    def write_and_format(self, rank, seconds, size, offset):
        yield from self.store(rank)
        yield self.work(rank, seconds)
        self.text[rank] = (size, offset)

    def store(self, rank):
        if self.files and self.text[rank]:
            size, offset = self.text[rank]
            self.text[rank] = None
            # Two files, half of the text each.
            yield self.files.write(rank % 2, int(offset / 2), size / 2)
            yield self.files.write(1 - rank % 2, int(offset / 2), size / 2)

    def run(self):
        for rank in range(self.ranks):
            self.engine.start(self.course(rank))
        self.engine.run()
        return self.result()

    def result(self):
        c, ranks, choices = self.constants, self.ranks, self.choices
        result = Result(ranks, windows=self.windows)
        result.phases = {phase: seconds / ranks for phase, seconds in self.spent.items()}
        result.wall = sum(result.phases.values())
        work = [start + of_windows * self.windows / self.simulated for start, of_windows in self.work_of]
        result.work, result.busiest = sum(work), max(work)
        mean, samples = self.records / ranks, choices.samples_of(ranks)
        agreed = agreed_bytes(ranks, samples)
        pairs = (ranks - 1) if choices.stages == 1 else choices.stages * (math.ceil(ranks ** (1 / choices.stages)) - 1)
        result.bytes_of_phase = {
            "list": self.streams * (PATH + (0 if choices.one_lists else LISTED * (ranks - 1) / ranks)) / ranks,
            "metadata": self.streams * c.wire * (1 + (ranks - 1) / ranks) / ranks if ranks > 1 else 0.0,
            "open": 8 * self.streams,
            "agree": self.windows * agreed,
            "exchange": mean * RECORD * (ranks - 1) / ranks * choices.stages,
            "read": sum(self.events) / ranks * c.bytes_of_event,
            "write": mean * self.text_of_record,
        }
        result.bytes_sent = sum(result.bytes_of_phase[phase] for phase in ("list", "metadata", "open", "agree", "exchange")) + c.sent
        result.collectives = (2 if ranks == 1 else COLLECTIVES_OF_WINDOW) * self.windows + c.collectives
        result.messages = self.windows * pairs * self.makers / ranks + c.gathers * (ranks - 1) / ranks
        result.message_bytes = mean / self.windows * RECORD / ranks if ranks > 1 else 0.0
        result.records_written = mean
        result.largest_slice = self.largest
        result.memory = self.memory(samples)
        return result

    def memory(self, samples):
        c, ranks = self.constants, self.ranks
        window = min(self.records / ranks, self.choices.window(ranks))
        return c.base + self.streams * c.of_stream + self.own * c.of_own_stream + 3 * KEY * samples * ranks + window * c.of_record


class Written:
    """A job of a writer thread, and the meeting at which its rank waits for the end."""

    def __init__(self, engine):
        self.meeting = Meeting(engine, 2)

    def run(self, job):
        yield from job
        yield self.meeting


def emulate(*words, **options):
    return Emulation(*words, **options).run()
