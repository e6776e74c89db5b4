"""The order of the events of all streams, and their time since the first one.

`exact` is the reference's binary heap, whose shape decides among equal clocks; `canonical` is the order of
(clock, stream, position)."""

import heapq

from errors import require

GATE_NS = 3600 * 10**9


class ExactHeap:
    """Nodes 1..n, children 2k and 2k+1; node 0 is not used."""

    def __init__(self):
        self.nodes = [None]

    def insert(self, stream):
        nodes = self.nodes
        nodes.append(stream)
        k = len(nodes) - 1
        while k > 1 and nodes[k].clock < nodes[k // 2].clock:
            nodes[k], nodes[k // 2] = nodes[k // 2], nodes[k]
            k //= 2

    def extract(self):
        nodes = self.nodes
        if len(nodes) == 1:
            return None
        first, last = nodes[1], nodes.pop()
        if len(nodes) > 1:
            nodes[1] = last
        k = 1
        while True:
            m = k
            if 2 * k < len(nodes) and nodes[2 * k].clock < nodes[m].clock:
                m = 2 * k
            if 2 * k + 1 < len(nodes) and nodes[2 * k + 1].clock < nodes[m].clock:
                m = 2 * k + 1
            if m == k:
                return first
            nodes[k], nodes[m] = nodes[m], nodes[k]
            k = m


class CanonicalHeap:
    def __init__(self):
        self.nodes = []

    def insert(self, stream):
        heapq.heappush(self.nodes, (stream.clock, stream.index, stream))

    def extract(self):
        return heapq.heappop(self.nodes)[2] if self.nodes else None


ORDERS = {"exact": ExactHeap, "canonical": CanonicalHeap}


class Player:
    def __init__(self, streams, order):
        self.heap = ORDERS[order]()
        self.played = None
        self.origin = None
        active = [stream for stream in streams if stream.active]
        for index, stream in enumerate(active):
            stream.index = index
            stream.step()
            self.heap.insert(stream)
        for stream in active:
            distance = abs(stream.clock - active[0].clock)
            require(distance <= GATE_NS, f"{stream.relative_path}: first clock {distance} ns away")

    def next(self):
        """The stream whose current event is next, None at the end."""
        if self.played is not None and self.played.active:
            self.played.step()
            if self.played.active:
                self.heap.insert(self.played)
        self.played = self.heap.extract()
        if self.played is not None and self.origin is None:
            self.origin = self.played.clock
        return self.played

    @property
    def time(self):
        return self.played.clock - self.origin
