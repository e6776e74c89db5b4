"""What the processes of a trace did in MPI: calls, ends of messages, parts in collectives, regions."""

import struct

import mpi_events as mpi
import streams
from mpi_events import RECORD


class Call:
    def __init__(self, name, enter, request):
        self.name, self.enter, self.leave, self.request = name, enter, None, request


class End:
    """One end of a message. `post` is the call that posts it, `completion` the one that completes it."""

    def __init__(self, process, post):
        self.process, self.post, self.completion = process, post, None
        self.bytes = self.probe = None


class Part:
    """The part of one member in a collective."""

    def __init__(self, process, post):
        self.process, self.post, self.completion = process, post, None
        self.sent = self.received = 0


class Process:
    def __init__(self, stream):
        ovni = stream.meta["ovni"]
        self.rank, self.host = ovni["rank"], ovni["loom"].partition(".")[0]
        self.calls, self.sends, self.receives, self.parts = [], [], [], []
        self.regions = []  # (time, stack from then on)
        self.communicators = {mpi.WORLD: (mpi.WORLD, self.rank, ovni["nranks"])}
        self.windows, self.requests, self.turns = {}, {}, {}
        self.window_calls = []  # (call, its rank in the window, target, window)
        self.probes = {}  # calls that found a message, by (object, sender, tag)
        self.began = self.ended = None
        self.call = self.enter = None
        self.sent_in_exchange = 0
        self.ended_now = []
        stack = []
        while True:
            stream.step()
            if stream.event is None:
                break
            self.take(stream.event, stack)

    def take(self, event, stack):
        if event.mcv in ("OM[", "OM]"):
            value, _ = struct.unpack("<qi", event.payload)
            if event.mcv == "OM[":
                stack.append(value)
            else:
                del stack[len(stack) - 1 - stack[::-1].index(value)]
            self.regions.append((event.raw_clock, list(stack)))
        elif event.mcv == "MXC":
            number, _, identity, rank, size = struct.unpack_from("<IIQiI", event.payload, 4)
            self.communicators[number] = identity, rank, size
        elif event.mcv == "MXO":
            number, _, communicator = struct.unpack_from("<III", event.payload, 4)
            self.windows[number] = communicator
        elif event.mcv[0] == "M":
            step = mpi.Step(event)
            if step.kind:
                getattr(self, "take_" + step.kind)(step)

    def take_enter(self, step):
        self.call, self.enter = Call(step.name, step.clock, step.request), step
        self.calls.append(self.call)
        self.ended_now = []

    def take_bytes(self, step):
        self.sent_in_exchange = step.bytes

    def take_ended(self, step):
        what = self.requests.pop(step.request)
        what.completion = self.call
        if isinstance(what, End) and what.is_receive:
            self.ended_now.append(what)

    def take_message(self, step):
        self.key_of(self.ended_now[-1], step.peer, step.tag, step.bytes)

    def key_of(self, end, peer, tag, size):
        identity, rank, _ = self.communicators[end.object]
        end.bytes = size
        end.key = (identity, peer, rank, tag) if end.is_receive else (identity, rank, peer, tag)
        probe = self.probes.get((end.object, peer, tag)) if end.is_receive else None
        if probe and probe.leave <= end.post.enter:
            end.probe = self.probes.pop((end.object, peer, tag))

    def new_end(self, is_receive, completion=None):
        end = End(self, self.call)
        end.is_receive, end.completion, end.object = is_receive, completion, self.enter.object
        (self.receives if is_receive else self.sends).append(end)
        return end

    def take_leave(self, step):
        call, enter, record = self.call, self.enter, RECORD[step.name]
        call.leave = step.clock
        if record == "Exchange":
            self.key_of(self.new_end(False, call), enter.peer, enter.tag, self.sent_in_exchange)
        if record in ("Receive", "Exchange"):
            self.key_of(self.new_end(True, call), step.peer, step.tag, step.bytes)
        elif record in ("Send", "PostedSend"):
            end = self.new_end(False, call if record == "Send" else None)
            self.key_of(end, enter.peer, enter.tag, step.bytes)
            if record == "PostedSend":
                self.requests[enter.request] = end
        elif record == "PostedReceive":
            self.requests[enter.request] = self.new_end(True)
        elif record == "Probe" and step.found:
            self.probes[(enter.object, *step.found)] = call
        elif record == "Synchronisation" and step.name != "MPI_Win_fence":
            identity, rank, _ = self.communicators[self.windows[enter.object]]
            self.window_calls.append((call, rank, enter.root, (identity, enter.object)))
        elif record in ("Collective", "CommunicatorMaker") or step.name == "MPI_Win_fence":
            self.add_part(call, enter, step)
        elif step.name == "MPI_Init":
            self.began = step.clock
        elif step.name == "MPI_Finalize":
            self.ended = call.enter

    def add_part(self, call, enter, step):
        part = Part(self, call)
        number = self.windows[enter.object] if call.name == "MPI_Win_fence" else enter.object
        self.turns[number] = self.turns.get(number, 0) + 1
        part.communicator, part.rank, part.size = self.communicators[number]
        part.place = part.communicator, self.turns[number]
        part.root, part.sent, part.received = enter.root, enter.sent, step.received
        self.parts.append(part)
        if step.request:
            self.requests[step.request] = part
        else:
            part.completion = call

    def region_at(self, time):
        """The innermost region from that time on; 0: none."""
        stack = []
        for since, then in self.regions:
            if since > time:
                break
            stack = then
        return stack[-1] if stack else 0

    def stretches(self, begin, end):
        """(function or None, region, begin, end) of what it did between these times, in pieces."""
        begin, end = max(begin, self.began), min(end, self.ended)
        edges = {begin, end} | {time for time, _ in self.regions} | {call.enter for call in self.calls}
        edges |= {call.leave for call in self.calls}
        edges = sorted(edge for edge in edges if begin <= edge <= end)
        inside = iter(self.calls)
        call = next(inside, None)
        for one, other in zip(edges, edges[1:]):
            while call and call.leave <= one:
                call = next(inside, None)
            yield call.name if call and call.enter <= one else None, self.region_at(one), one, other


def read(directory):
    return sorted((Process(stream) for stream in streams.load(directory)), key=lambda process: process.rank)


def matched(processes):
    """(send, receive) of each message: the k-th send of a key belongs to the k-th receive, as they were posted."""
    by_key = {}
    for process in processes:
        for send in process.sends:
            by_key.setdefault(send.key, ([], []))[0].append(send)
        for receive in process.receives:
            by_key.setdefault(receive.key, ([], []))[1].append(receive)
    pairs = []
    for sends, receives in by_key.values():
        assert len(sends) == len(receives)
        for send, receive in zip(sends, receives):
            assert send.bytes == receive.bytes
            pairs.append((send, receive))
    return pairs


def collectives(processes):
    """The parts of each collective, by rank."""
    by_place = {}
    for process in processes:
        for part in process.parts:
            by_place.setdefault(part.place, []).append(part)
    for parts in by_place.values():
        parts.sort(key=lambda part: part.rank)
        assert len({part.post.name for part in parts}) == 1 and len(parts) == parts[0].size
    return [by_place[place] for place in sorted(by_place)]
