"""A discrete-event simulation of machines: nodes with cores, links in the terms of LogGP, a parallel file system.

A process is a generator. It yields the moment (seconds) until which it waits, or a Meeting that it joins. What serves
one after the other (cores, storage targets, a metadata server) is a Servers object: it answers when a piece of work that
comes now will be done."""
import heapq
import itertools
import math
from dataclasses import dataclass


class Engine:
    def __init__(self):
        self.now = 0.0
        self._events = []
        self._order = itertools.count()  # events of one moment come in the order in which they were planned

    def start(self, process):
        self.wake(process, self.now)

    def wake(self, process, moment):
        heapq.heappush(self._events, (moment, next(self._order), process))

    def run(self):
        while self._events:
            self.now, _, process = heapq.heappop(self._events)
            wanted = next(process, None)
            if wanted is None:
                continue
            if isinstance(wanted, Meeting):
                wanted.join(process)
            else:
                self.wake(process, max(wanted, self.now))


class Meeting:
    """All members wait for the last one, and `seconds()` more. Then it serves for the next time."""

    def __init__(self, engine, members, seconds=lambda: 0.0):
        self.engine, self.members, self.seconds = engine, members, seconds
        self._waiting = []

    def join(self, process):
        self._waiting.append(process)
        if len(self._waiting) < self.members:
            return
        moment = self.engine.now + self.seconds()
        for waiting in self._waiting:
            self.engine.wake(waiting, moment)
        self._waiting = []


class Servers:
    """Several alike, and one queue: first come, first served."""

    def __init__(self, engine, count):
        self.engine = engine
        self.busy = 0.0  # seconds of work taken so far
        self._free = [0.0] * count

    def serve(self, seconds):
        """The moment at which work that comes now is done."""
        done = max(self.engine.now, self._free[0]) + seconds
        heapq.heapreplace(self._free, done)
        self.busy += seconds
        return done


@dataclass(frozen=True)
class Link:
    """LogGP, in seconds: latency L, overhead o of a call on each side, gap g between messages, gap G per byte."""
    latency: float
    overhead: float
    gap: float
    per_byte: float

    def message(self, size):
        return self.latency + 2 * self.overhead + size * self.per_byte

    def _rounds(self, ranks):
        return math.ceil(math.log2(ranks)) if ranks > 1 else 0

    def allgather(self, ranks, size):
        """Recursive doubling: the data doubles from round to round."""
        return self._rounds(ranks) * self.message(0) + (ranks - 1) * size * self.per_byte

    def allreduce(self, ranks, size):
        """Recursive doubling for what is short; else halving and doubling, which move everything twice."""
        rounds = self._rounds(ranks)
        return min(rounds * self.message(size), 2 * (rounds * self.message(0) + size * self.per_byte))

    def broadcast(self, ranks, size):
        """A binomial tree for what is short; else a scatter and an allgather."""
        rounds = self._rounds(ranks)
        return min(rounds * self.message(size), 2 * (rounds * self.message(0) + size * self.per_byte))

    def gather(self, ranks, size_of_all):
        """All send to one rank, which takes one message after the other."""
        if ranks == 1:
            return 0.0
        return self.latency + (ranks - 1) * max(self.gap, self.overhead) + size_of_all * self.per_byte

    def alltoall(self, ranks, size):
        """Bruck for what is short: half of the data in each of log2(ranks) rounds; else pairs."""
        bruck = self._rounds(ranks) * self.message(ranks * size / 2)
        return min(bruck, self.exchange(ranks - 1, (ranks - 1) * size))

    def exchange(self, messages, size_of_all):
        """One rank's part in an exchange of all pairs: so many messages out, and as many in."""
        if messages == 0:
            return 0.0
        return self.latency + messages * max(self.gap, 2 * self.overhead) + size_of_all * self.per_byte


@dataclass(frozen=True)
class Storage:
    """A parallel file system. A file lies in stripes on targets in turn. A call of metadata takes a client one round trip,
    and the server 1 / calls seconds."""
    targets: int
    bytes_per_second: float  # of a target
    stripe: int
    request: float           # seconds of a target for a request, beside its bytes
    round_trip: float
    calls: float             # of metadata, per second
    spread: int = 0          # targets of an output; 0: all


class FileSystem:
    """Outputs have numbers. Inputs are many files, and lie on any targets."""

    def __init__(self, engine, storage, files=2):
        self.engine, self.storage = engine, storage
        self.targets = [Servers(engine, 1) for _ in range(storage.targets)]
        self.metadata = Servers(engine, 1)
        self.first = [f * storage.targets // files for f in range(files)]
        self.moved = 0

    def write(self, file, offset, size):
        """The moment at which the last target of this part of an output is done."""
        return self._move(self.first[file], self.storage.spread or self.storage.targets, offset, size)

    def read(self, place, size):
        return self._move(place, self.storage.targets, 0, size)

    def _move(self, first, spread, offset, size):
        storage, done = self.storage, self.engine.now
        self.moved += size
        while size > 0:
            part = min(size, storage.stripe - offset % storage.stripe)
            target = self.targets[(first + offset // storage.stripe % spread) % storage.targets]
            done = max(done, target.serve(storage.request + part / storage.bytes_per_second))
            offset, size = offset + part, size - part
        return done

    def ask(self, calls):
        """Calls of metadata by one client, one after the other."""
        alone = self.engine.now + calls * self.storage.round_trip
        return max(alone, self.metadata.serve(calls / self.storage.calls))


@dataclass(frozen=True)
class Machine:
    cores: int          # of a node
    ranks_of_node: int
    link: Link
    storage: Storage = None  # None: files lie in memory, and writing is work of a core
    memory: float = math.inf  # of a node, bytes
    spread: float = 0.0  # of the speed of nodes: standard deviation, part of the mean
    jitter: float = 0.0  # of one step of a rank, as well
