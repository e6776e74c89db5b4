"""Random traces of MPI programs: ranks that compute, send and receive in every way, wait, test, and meet in
collectives of several communicators. They are played in a time of their own, so that every call ends when MPI
could have ended it. The same seed gives the same trace."""

import random
import struct

import mpi_events as mpi
from trace_builder import TraceBuilder, event, execute, jumbo

N_TO_N = ("Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block")
FROM_ROOT, TO_ROOT = ("Bcast", "Scatter", "Scatterv"), ("Gather", "Gatherv", "Reduce")
SCANS = ("Scan", "Exscan")
MAKERS = ("Comm_dup", "Comm_split", "Comm_create", "Cart_create")
NEIGHBOURS = ("Neighbor_allgather", "Neighbor_alltoall", "Neighbor_alltoallv")
REGIONS = {11: "assembly", 12: "solve", 13: "output"}


class Request:
    def __init__(self, number, kind, done=None, message=None):
        self.number, self.kind, self.done, self.message = number, kind, done, message


class Message:
    def __init__(self, sender, tag, size, sent):
        self.sender, self.tag, self.bytes, self.sent = sender, tag, size, sent
        self.send = None  # the request of a synchronous send, which ends when the receive is posted


class Rank:
    def __init__(self, dice, rank):
        self.dice, self.rank = dice, rank
        self.clock = 1000 + dice.randrange(50)
        self.events, self.requests, self.regions = [], [], []
        self.next_request = 0
        self.pending = {}  # (communicator, sender, tag): messages that have no receive yet

    def advance(self, least=1):
        longest = self.dice.choice((2, 5, 30, 400)) if self.dice.random() < 0.8 else 3000
        self.clock += least + self.dice.randrange(longest)

    def add(self, name, step, payload=b"", clock=None):
        code, payload = mpi.code_and_payload(name, step, payload)
        self.events.append(event(code, self.clock if clock is None else clock, payload))

    def enter(self, name, payload=b"", after=None):
        if after is None:
            self.advance()
        else:
            self.clock += after
        self.add(name, "enter", payload)
        return self.clock

    def leave(self, name, payload=b"", least=0):
        self.clock = max(self.clock + 1, least + 1) + self.dice.randrange(4)
        self.add(name, "leave", payload)
        return self.clock

    def request(self, kind, **what):
        request = Request(self.next_request, kind, **what)
        self.requests.append(request)
        return request

    def new_number(self):
        self.next_request += 1
        return self.next_request

    def complete(self, request):
        """The details of a request that ends; the leave follows."""
        self.events.append(event("MXc", self.clock, struct.pack("<II", request.number, 0)))
        if request.kind == "receive":
            message = request.message
            self.events.append(event("MXr", self.clock, struct.pack("<Qii", message.bytes, message.sender, message.tag)))
        self.requests.remove(request)


class Program:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.ranks = [Rank(self.dice, rank) for rank in range(self.dice.randint(2, 6))]
        everybody = list(range(len(self.ranks)))
        self.communicators = {mpi.WORLD: (mpi.WORLD, everybody)}  # number: id, members
        for number in (3, 4, 5)[:self.dice.randint(0, 3)]:
            members = sorted(self.dice.sample(everybody, self.dice.randint(2, len(everybody))))
            self.communicators[number] = (1000 + 17 * number, members)
        self.window_of = {10: self.dice.choice(list(self.communicators))}

    def play(self, steps):
        self.meet("MPI_Init")
        for rank in self.ranks:
            self.define(rank)
        kinds = (self.send,) * 6 + (self.receive,) * 5 + (self.complete,) * 4 + (self.collective,) * 2 + (self.exchange, self.region, self.one_sided)
        for _ in range(steps):
            self.dice.choice(kinds)()
        self.drain()
        for rank in self.ranks:
            while rank.regions:
                self.close(rank)
        self.meet("MPI_Finalize")

    def meet(self, name):
        """All call MPI_Init or MPI_Finalize. In most traces none leaves before all have entered."""
        last = max([rank.enter(name) for rank in self.ranks])
        least = last if self.dice.random() < 0.7 else 0
        for rank in self.ranks:
            rank.leave(name, b"", least)

    def define(self, rank):
        for number, (identity, members) in self.communicators.items():
            if number != mpi.WORLD and rank.rank in members:
                data = mpi.communicator(number, identity, members.index(rank.rank), members)
                rank.events.append(jumbo("MXC", rank.clock, data))
        for number, communicator in self.window_of.items():
            if rank.rank in self.communicators[communicator][1]:
                rank.events.append(jumbo("MXO", rank.clock, mpi.window(number, communicator)))

    def drain(self):
        for rank in self.ranks:
            while rank.pending:
                self.receive(rank)
        for rank in self.ranks:
            while rank.requests:
                self.complete(rank)

    # Messages.

    def pair(self):
        number = self.dice.choice(list(self.communicators))
        members = self.communicators[number][1]
        sender, receiver = self.dice.sample(range(len(members)), 2)
        return number, sender, receiver, self.ranks[members[sender]], self.ranks[members[receiver]]

    def send(self):
        number, sender, receiver, by, to = self.pair()
        tag, size = self.dice.randrange(3), self.dice.choice((0, 8, 1000))
        key = number, sender, tag
        name = self.dice.choice(("MPI_Send", "MPI_Bsend", "MPI_Isend", "MPI_Isend", "MPI_Ssend", "MPI_Issend"))
        if name == "MPI_Ssend" and to.pending.get(key):
            name = "MPI_Send"
        request = by.request("send") if name.startswith("MPI_I") else None
        if request:
            request.number = by.new_number()
        sent = by.enter(name, struct.pack("<iiII", receiver, tag, number, request.number if request else 0))
        message = Message(sender, tag, size, sent)
        to.pending.setdefault(key, []).append(message)
        if name == "MPI_Ssend":
            message.send = Request(0, "send")
            self.receive(to, key)
        elif request:
            request.done = sent
            if name == "MPI_Issend":
                request.done = None
                message.send = request
        least = message.send.done if name == "MPI_Ssend" else 0
        by.leave(name, struct.pack("<Qii", size, receiver, tag), least)

    def receive(self, rank=None, key=None):
        rank = rank or self.dice.choice(self.ranks)
        if not rank.pending:
            return
        key = key or self.dice.choice(list(rank.pending))
        number, sender, tag = key
        message = rank.pending[key].pop(0)
        if not rank.pending[key]:
            del rank.pending[key]
        if self.dice.random() < 0.2:
            self.probe(rank, number, message)
        peer = mpi.ANY if self.dice.random() < 0.2 else sender
        if self.dice.random() < 0.5:
            posted = rank.enter("MPI_Recv", struct.pack("<iiII", peer, tag, number, 0))
            rank.leave("MPI_Recv", struct.pack("<Qii", message.bytes, sender, tag), message.sent)
        else:
            request = rank.request("receive", message=message)
            request.number = rank.new_number()
            posted = rank.enter("MPI_Irecv", struct.pack("<iiII", peer, tag, number, request.number))
            rank.leave("MPI_Irecv")
            request.done = max(posted, message.sent)
            if request.done > rank.clock and self.dice.random() < 0.5:
                self.dice.choice((self.test, self.test_all))(rank, [request])
        if message.send:
            message.send.done = posted

    def probe(self, rank, number, message):
        """One call that waits for the message, or a loop of calls that ask for it."""
        asked = struct.pack("<iiI", self.dice.choice((mpi.ANY, message.sender)), message.tag, number)
        name = self.dice.choice(("MPI_Probe", "MPI_Iprobe"))
        while name == "MPI_Iprobe" and rank.clock + 10 < message.sent and self.dice.random() < 0.9:
            rank.enter(name, asked, 1 + self.dice.randrange(max(2, (message.sent - rank.clock) // 3)))
            rank.leave(name)
        if name == "MPI_Iprobe":
            rank.clock = max(rank.clock, message.sent)
        rank.enter(name, asked)
        rank.leave(name, struct.pack("<iiI", message.sender, message.tag, 0), message.sent)

    def exchange(self):
        number, first, second, one, two = self.pair()
        tag = 7
        begins = {}
        for rank, peer in ((one, second), (two, first)):
            begins[rank] = rank.enter("MPI_Sendrecv", struct.pack("<iiII", peer, tag, number, 0))
        for rank, peer, other in ((one, second, two), (two, first, one)):
            rank.events.append(event("MXb", rank.clock, struct.pack("<Q", 40 + peer)))
            size = 40 + (first if rank is one else second)
            rank.leave("MPI_Sendrecv", struct.pack("<Qii", size, peer, tag), begins[other])

    # Requests.

    def complete(self, rank=None):
        rank = rank or self.dice.choice(self.ranks)
        ready = [request for request in rank.requests if request.done is not None]
        if not ready:
            return
        how = self.dice.choice((self.wait, self.wait, self.wait_all, self.wait_all, self.wait_any, self.test, self.test_all))
        how(rank, ready)

    def wait(self, rank, ready):
        request = self.dice.choice(ready)
        rank.enter("MPI_Wait", struct.pack("<I", request.number))
        self.end(rank, "MPI_Wait", [request])

    def wait_all(self, rank, ready):
        some = self.dice.sample(ready, self.dice.randint(1, len(ready)))
        rank.enter("MPI_Waitall", struct.pack("<I", len(some)))
        self.end(rank, "MPI_Waitall", some)

    def wait_any(self, rank, ready):
        name = self.dice.choice(("MPI_Waitany", "MPI_Waitsome"))
        rank.enter(name, struct.pack("<I", len(ready)))
        self.end(rank, name, [self.dice.choice(ready)])

    def test(self, rank, ready):
        request = self.dice.choice(ready)
        self.fail(rank, "MPI_Test", request.number, request.done)
        rank.clock = max(rank.clock, request.done)
        rank.enter("MPI_Test", struct.pack("<I", request.number))
        self.end(rank, "MPI_Test", [request])

    def test_all(self, rank, ready):
        some = self.dice.sample(ready, self.dice.randint(1, len(ready)))
        done = max(request.done for request in some)
        self.fail(rank, "MPI_Testall", len(some), done)
        rank.clock = max(rank.clock, done)
        rank.enter("MPI_Testall", struct.pack("<I", len(some)))
        self.end(rank, "MPI_Testall", some)

    def fail(self, rank, name, number, done):
        """Tests that do not succeed yet, with other calls between them."""
        for _ in range(self.dice.randrange(8)):
            longest = max(2, (done - rank.clock) // 3)
            rank.enter(name, struct.pack("<I", number), 1 + self.dice.randrange(longest))
            rank.leave(name)
            if self.dice.random() < 0.2:
                rank.enter("MPI_Get_version", b"", 1)
                rank.leave("MPI_Get_version")

    def end(self, rank, name, requests):
        least = max(request.done for request in requests)
        rank.clock = max(rank.clock, least)
        for request in requests:
            rank.complete(request)
        rank.leave(name, b"", least)

    # Collectives.

    def collective(self):
        number = self.dice.choice(list(self.communicators))
        members = self.communicators[number][1]
        name = self.dice.choice(self.dice.choice((("Barrier",), N_TO_N, FROM_ROOT, TO_ROOT, SCANS, NEIGHBOURS, MAKERS, ("Win_fence",))))
        root = self.dice.randrange(len(members)) if name in FROM_ROOT + TO_ROOT else -1
        if name == "Win_fence":
            windows = [window for window, communicator in self.window_of.items() if communicator == number]
            return self.fence(windows[0], members) if windows else None
        if name in MAKERS:
            return self.make("MPI_" + name, number, members)
        is_posted = self.dice.random() < 0.3
        mpi_name = "MPI_I" + name.lower() if is_posted else "MPI_" + name
        counts = {i: self.counts(name) for i in range(len(members))}
        enters = {}
        for i, member in enumerate(members):
            payload = struct.pack("<iI", root, number)
            sent = counts[i][0]
            payload += mpi.six(sent) if mpi.BY_NAME[mpi_name].number else struct.pack("<Q", sent)
            enters[i] = self.ranks[member].enter(mpi_name, payload)
        for i, member in enumerate(members):
            rank = self.ranks[member]
            done = self.ready_at(name, i, root, enters, counts)
            received = counts[i][1]
            payload = mpi.six(received) if mpi.BY_NAME[mpi_name].number else struct.pack("<Q", received)
            if is_posted:
                request = rank.request("collective", done=done)
                request.number = rank.new_number()
                rank.leave(mpi_name, payload + struct.pack("<I", request.number))
            else:
                rank.leave(mpi_name, payload, done)

    def counts(self, name):
        """Bytes that a member sends and receives."""
        if name in ("Alltoallv", "Alltoallw", "Allgatherv") and self.dice.random() < 0.6:
            return self.dice.choice(((0, 8), (8, 0), (0, 0), (8, 8)))
        return (0, 0) if name == "Barrier" else (8, 8)

    def ready_at(self, name, i, root, enters, counts):
        """When a member can have all that it gets."""
        others = list(enters)
        if name in N_TO_N:
            if counts[i][1] == 0:
                return enters[i]
            others = [j for j in others if counts[j][0] > 0] or [i]
        elif name in FROM_ROOT:
            others = [root]
        elif name in TO_ROOT:
            others = others if i == root else [i]
        elif name in SCANS:
            others = [j for j in others if j <= i]
        elif name in NEIGHBOURS:
            others = [j for j in others if abs(j - i) <= 1]
        return max(enters[j] for j in others + [i])

    def make(self, name, number, members):
        """In most calls none leaves before all have entered."""
        enters = [self.ranks[member].enter(name, struct.pack("<iI", -1, number) + mpi.six(0)) for member in members]
        is_synchronising = self.dice.random() < 0.6
        for member in members:
            least = max(enters) if is_synchronising else self.dice.choice(enters)
            self.ranks[member].leave(name, struct.pack("<I", 50), least)

    def fence(self, window, members):
        payload = struct.pack("<iI", -1, window) + mpi.six(0)
        enters = [self.ranks[member].enter("MPI_Win_fence", payload) for member in members]
        for member in members:
            self.ranks[member].leave("MPI_Win_fence", b"", max(enters))

    # Windows.

    def synchronise(self, rank, name, window, target=-1, least=None):
        """A call of its own, or the enter of one that ends later."""
        entered = self.ranks[rank].enter(name, struct.pack("<iI", target, window) + mpi.six(0))
        if least is not None:
            self.ranks[rank].leave(name, b"", least)
        return entered

    def one_sided(self):
        window, communicator = self.dice.choice(list(self.window_of.items()))
        members = self.communicators[communicator][1]
        first, second = self.dice.sample(range(len(members)), 2)
        one, two = members[first], members[second]
        if self.dice.random() < 0.5:
            posted = self.synchronise(two, "MPI_Win_post", window, least=0)
            self.synchronise(one, "MPI_Win_start", window, least=self.dice.choice((0, posted)))
            completed = self.synchronise(one, "MPI_Win_complete", window, least=posted)
            return self.synchronise(two, "MPI_Win_wait", window, least=completed)
        all_of = self.dice.random() < 0.3
        lock, unlock, flush = (("MPI_Win_lock_all", "MPI_Win_unlock_all", "MPI_Win_flush_all") if all_of
                               else ("MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush"))
        target = -1 if all_of else self.dice.choice((first, second))
        self.synchronise(one, lock, window, target, 0)
        unlocked = self.synchronise(one, unlock, window, target, 0)
        other = self.dice.choice((target, first))
        self.synchronise(two, "MPI_Win_lock", window, max(other, 0), self.dice.choice((0, unlocked)))
        self.synchronise(two, flush, window, target, unlocked)
        return self.synchronise(two, "MPI_Win_unlock", window, max(other, 0), 0)

    # Regions.

    def region(self):
        rank = self.dice.choice(self.ranks)
        if rank.regions and self.dice.random() < 0.5:
            return self.close(rank)
        rank.advance()
        rank.regions.append(self.dice.choice(list(REGIONS)))
        rank.events.append(event("OM[", rank.clock, struct.pack("<qi", rank.regions[-1], mpi.REGION_MARK)))

    def close(self, rank):
        rank.advance()
        rank.events.append(event("OM]", rank.clock, struct.pack("<qi", rank.regions.pop(), mpi.REGION_MARK)))


def write(seed, steps, directory):
    """Every second rank shares its node with the one before in half of the traces."""
    program = Program(seed)
    program.play(steps)
    trace = TraceBuilder(directory)
    marks = {str(mpi.REGION_MARK): {"title": "MPI_Pcontrol region", "chan_type": "stack",
                                    "labels": {str(value): label for value, label in REGIONS.items()}}}
    on_node = 1 + seed % 2
    for rank in program.ranks:
        life = [execute(500, -1), *rank.events, event("OHe", rank.clock + 5)]
        trace.stream(*life, tid=100 + rank.rank, pid=100 + rank.rank, loom=f"node{rank.rank // on_node:02}.a", require={"mpi": "1.1.0"},
                     mark=marks, run="random", rank=rank.rank, nranks=len(program.ranks))
