"""The sort of regions between `OU[` and `OU]`, in memory."""

from errors import Rejected, require
from streams import MAGIC, Event

LOOK_BACK = 1000000


def sort_stream(stream, look_back=LOOK_BACK):
    data = bytearray(stream.data)
    ring = []  # events before the current one, oldest first, at most look_back - 1
    state, first_bad = "outside", None
    position = len(MAGIC)
    while position < len(data):
        event = Event(data, position)
        if state == "outside":
            state = "begun" if event.mcv == "OU[" else state
        elif event.mcv == "OU]":
            if state == "bad":
                ring = sort_region(data, ring, first_bad, event.begin, look_back)
            state = "outside"
        elif state == "begun":
            state, first_bad = "bad", event.begin
        ring.append(event)
        del ring[: -(look_back - 1)]
        position = event.end
    stream.data = bytes(data)


def sort_region(data, ring, first_bad, end, look_back):
    lowest = min(event.raw_clock for event in events_between(data, first_bad, end))
    start = len(ring) - 1
    while start >= 0 and not ring[start].raw_clock < lowest:
        start -= 1
    if start < 0:
        if len(ring) >= look_back - 1:
            raise Rejected("look back too small to sort")
        start = 0
    begin = ring[start].begin
    ordered = sorted(events_between(data, begin, end), key=lambda event: event.raw_clock)
    data[begin:end] = b"".join(data[event.begin : event.end] for event in ordered)
    rebuilt = ring[:start] + events_between(data, begin, end)
    clocks = [event.raw_clock for event in rebuilt[start:]]
    require(clocks == sorted(clocks), "not sorted after sorting")
    return rebuilt


def events_between(data, begin, end):
    events = []
    while begin < end:
        events.append(Event(data, begin))
        begin = events[-1].end
    return events
