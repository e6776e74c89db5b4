"""Damage for traces in memory, which are dictionaries from the name of a file to its bytes: events, metadata, files
beside the streams. What is done follows from a `random.Random` alone."""
import json
import os
import struct

HEADER = b"ovni\1\0\0\0"
EVENT_HEADER, JUMBO, MOST_PAYLOAD = 12, 0x10, 1 << 16
INTERESTING = (0, 1, 2, 3, 5, 6, 7, 8, 98, 99, 100, 127, 128, 255, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
               2**53, 2**63 - 1, 2**63, 2**64 - 1)
SIDE_FILES = ("stream.crc", "stream.gaps.json")


class Stream:
    """The events of a stream.obs as (flags, code, clock, rest), and what lies behind the last whole one."""

    def __init__(self, content):
        self.head, self.events, at = content[:len(HEADER)], [], len(HEADER)
        while at + EVENT_HEADER <= len(content):
            flags, code, clock = struct.unpack_from("<B3sQ", content, at)
            size = flags & 0xF
            size = size + 1 if size else 0
            if flags & JUMBO:
                if at + EVENT_HEADER + 4 > len(content):
                    break
                size = 4 + struct.unpack_from("<I", content, at + EVENT_HEADER)[0]
            if at + EVENT_HEADER + size > len(content):
                break
            self.events.append((flags, code, clock, content[at + EVENT_HEADER:at + EVENT_HEADER + size]))
            at += EVENT_HEADER + size
        self.tail = content[at:]

    def content(self):
        events = (struct.pack("<B3sQ", flags, code, clock & (2**64 - 1)) + rest for flags, code, clock, rest in self.events)
        return self.head + b"".join(events) + self.tail


class Damage:
    def __init__(self, files, dice):
        self.files, self.dice = files, dice

    def names(self, ending):
        return sorted(name for name in self.files if os.path.basename(name) == ending)

    def do(self):
        """One damage, and what it was, or None if the trace has nothing that it could change."""
        kinds, weights = zip(*((kind, weight) for kind, weight in self.KINDS))
        return self.dice.choices(kinds, weights)[0](self)

    # Events.

    def some_stream(self):
        """A stream with events, the more the likelier."""
        streams = [(name, Stream(self.files[name])) for name in self.names("stream.obs")]
        streams = [(name, stream) for name, stream in streams if stream.events]
        if not streams:
            return None, None
        return self.dice.choices(streams, [len(stream.events) ** 0.5 for _, stream in streams])[0]

    def replace(self, name, stream):
        self.change(name, stream.content())

    def change(self, name, content):
        self.files[name] = content
        # Checksums refuse a changed stream before its events do.
        if self.dice.random() < 0.85:
            self.files.pop(os.path.join(os.path.dirname(name), "stream.crc"), None)

    def events(self):
        name, stream = self.some_stream()
        if stream is None:
            return None
        change = self.dice.choice(self.EVENT_CHANGES)
        at = self.dice.randrange(len(stream.events))
        before = stream.events[at]
        change(self, stream.events, at)
        self.replace(name, stream)
        return f"{name}: {change.__name__} event {at}, {before[1].decode(errors='replace')} at {before[2]}"

    def drop(self, events, at):
        del events[at:at + self.dice.choice((1, 1, 1, 2, 5))]

    def repeat(self, events, at):
        events[at:at] = events[at:at + self.dice.choice((1, 1, 2))]

    def swap(self, events, at):
        other = self.dice.randrange(len(events))
        (flags, code, clock, rest), second = events[at], events[other]
        events[at] = (second[0], second[1], clock, second[3])
        events[other] = (flags, code, second[2], rest)

    def turn_into_another(self, events, at):
        _, code, clock, rest = events[at]
        flags, code, _, rest = self.dice.choice(events)
        events[at] = (flags, code, clock, rest)

    def letter(self, events, at):
        flags, code, clock, rest = events[at]
        letters = bytearray(code)
        letters[self.dice.choice((0, 1, 2, 2, 2))] = self.dice.choice(b"[]<>=.@!*aAbcCdefhHiIjlMmnOpPqrRsStTuUvVwxXyz0123456789")
        events[at] = (flags, bytes(letters), clock, rest)

    def payload(self, events, at):
        with_payload = [i for i, event in enumerate(events) if event[3]]
        if not with_payload:
            return
        at = self.dice.choice(with_payload)
        flags, code, clock, rest = events[at]
        content = bytearray(rest)
        width = self.dice.choice([width for width in (1, 2, 4, 8) if width <= len(content)])
        place = self.dice.randrange(0, len(content) - width + 1, width)
        value = self.dice.choice((self.dice.choice(INTERESTING), self.dice.randrange(12)))
        content[place:place + width] = (value % 256**width).to_bytes(width, "little")
        if flags & JUMBO:  # the size as it was, or the event swallows the rest
            content[:4] = rest[:4]
        events[at] = (flags, code, clock, bytes(content))

    def payload_size(self, events, at):
        flags, code, clock, rest = events[at]
        size = self.dice.choice((0, *range(2, 17)))
        if not flags & JUMBO:
            events[at] = (size - 1 if size else 0, code, clock, (rest + bytes(16))[:size])

    def clock(self, events, at):
        flags, code, clock, rest = events[at]
        near = events[max(at - 1, 0)][2], events[min(at + 1, len(events) - 1)][2]
        clock = self.dice.choice((*near, self.dice.randint(min(near), max(near)), clock + self.dice.choice((-1, 1, 1000)),
                                  self.dice.choice(INTERESTING)))
        events[at] = (flags, code, clock, rest)

    def clock_of_another_stream(self, events, at):
        others = [stream for stream in map(Stream, map(self.files.get, self.names("stream.obs"))) if stream.events]
        flags, code, clock, rest = events[at]
        clocks = [event[2] for event in self.dice.choice(others).events]
        least, most = events[max(at - 1, 0)][2], events[min(at + 1, len(events) - 1)][2]
        clocks = [clock for clock in clocks if least <= clock <= most] or [clock]
        events[at] = (flags, code, self.dice.choice(clocks), rest)

    def event_of_another_stream(self, events, at):
        others = [stream for stream in map(Stream, map(self.files.get, self.names("stream.obs"))) if stream.events]
        flags, code, _, rest = self.dice.choice(self.dice.choice(others).events)
        events.insert(at, (flags, code, events[at][2], rest))

    def end(self, events, at):
        del events[at:]

    def shift_all(self, events, _):
        shift = self.dice.choice((-1, 1, 100, -100, 10**6, 10**9, 10**15))
        events[:] = [(flags, code, max(clock + shift, 0), rest) for flags, code, clock, rest in events]

    EVENT_CHANGES = (drop, drop, repeat, swap, swap, turn_into_another, turn_into_another, letter, payload, payload, payload,
                     payload_size, clock, clock, clock_of_another_stream, clock_of_another_stream, event_of_another_stream,
                     event_of_another_stream, end, shift_all)

    # Bytes of any file.

    def bytes(self):
        names = sorted(name for name in self.files if self.files[name])
        if not names:
            return None
        name = self.dice.choice(names)
        content = bytearray(self.files[name])
        at = self.dice.randrange(len(content))
        change = self.dice.choice(("cut", "flip", "flip", "insert", "zeros"))
        if change == "cut":
            del content[at:]
        elif change == "flip":
            content[at] ^= 1 << self.dice.randrange(8)
        elif change == "insert":
            content[at:at] = self.dice.randbytes(self.dice.randint(1, 16))
        else:
            content[at:at + 8] = bytes(min(8, len(content) - at))
        self.change(name, bytes(content))
        return f"{name}: {change} at byte {at}"

    # Metadata.

    def metadata(self):
        names = sorted(name for name in self.files if name.endswith(".json"))
        if not names:
            return None
        name = self.dice.choice(names)
        try:
            document = json.loads(self.files[name])
        except ValueError:
            return None
        places = list(places_in(document))
        if not places:
            return None
        holder, key, path = self.dice.choice(places)
        change = self.dice.choice((self.leave_out, self.of_another_stream, self.value, self.value))
        done = change(holder, key, path, names)
        self.files[name] = json.dumps(document).encode()
        return f"{name}: {'.'.join(map(str, path))} {done}"

    def leave_out(self, holder, key, *_):
        del holder[key]
        return "left out"

    def of_another_stream(self, holder, key, path, names):
        try:
            other = json.loads(self.files[self.dice.choice(names)])
            for step in path:
                other = other[step]
        except (ValueError, LookupError, TypeError):
            other = None
        holder[key] = other
        return f"is {other}"

    def value(self, holder, key, *_):
        old = holder[key]
        if isinstance(old, bool) or old is None:
            new = self.dice.choice((True, False, None, 1, "x"))
        elif isinstance(old, (int, float)):
            new = self.dice.choice((old + 1, old - 1, old + 1, old - 1, -old, self.dice.choice(INTERESTING), str(old), 0.5))
        elif isinstance(old, str):
            new = self.dice.choice((old + "x", old[:-1], "", "a\nb", "\u00e9\u4e2d", "/", 7, None))
        else:
            new = self.dice.choice(([], {}, None, [old], 3))
        holder[key] = new
        return f"is {json.dumps(new)[:60]}"

    # Files.

    def file(self):
        change = self.dice.choice(self.FILE_CHANGES)
        streams = [os.path.dirname(name) for name in self.names("stream.json")]
        if not streams:
            return None
        stream = self.dice.choice(streams)
        return change(self, stream, streams)

    def no_file(self, stream, _):
        of_it = sorted(name for name in self.files if os.path.dirname(name) == stream)
        name = self.dice.choice(of_it)
        del self.files[name]
        return f"{name} is not there"

    def empty_file(self, stream, _):
        name = self.dice.choice(sorted(name for name in self.files if os.path.dirname(name) == stream))
        self.files[name] = b""
        return f"{name} is empty"

    def no_stream(self, stream, _):
        for name in [name for name in self.files if os.path.dirname(name) == stream]:
            del self.files[name]
        return f"{stream} is not there"

    def copy_of_stream(self, stream, _):
        copy = stream + self.dice.choice(("9", ".old", "/thread.7"))
        for name in [name for name in self.files if os.path.dirname(name) == stream]:
            self.files[copy + name[len(stream):]] = self.files[name]
        return f"{copy} is a copy of {stream}"

    def other_events(self, stream, streams):
        other = self.dice.choice(streams)
        one, two = f"{stream}/stream.obs", f"{other}/stream.obs"
        if one not in self.files or two not in self.files:
            return None
        first, second = self.files[one], self.files[two]
        self.change(one, second)
        self.change(two, first)
        return f"{stream} and {other} have exchanged their events"

    def gaps(self, stream, _):
        name = f"{stream}/stream.obs"
        events = Stream(self.files.get(name, b"")).events
        if not events:
            return None
        begin, end = sorted(self.dice.randrange(len(events)) for _ in range(2))
        gap = {"offset": len(HEADER) + sum(EVENT_HEADER + len(event[3]) for event in events[:begin + 1]),
               "from": events[begin][2] + self.dice.choice((0, 0, 1)), "to": events[end][2] + self.dice.choice((0, 0, 1)),
               "lost": self.dice.choice((0, 1, 7)), "reason": self.dice.choice(("full", "paused"))}
        self.files[f"{stream}/stream.gaps.json"] = json.dumps({"gaps": [gap]}).encode()
        return f"{stream} has a gap from event {begin} to event {end}"

    def clocks_of_hosts(self, *_):
        hosts = []
        for name in self.names("stream.json"):
            try:
                hosts.append(json.loads(self.files[name])["ovni"]["loom"].split(".")[0])
            except (ValueError, LookupError, TypeError, AttributeError):
                continue
        lines = ["rank       hostname             offset_median        offset_mean          offset_std"]
        for rank, host in enumerate(sorted(set(hosts))):
            offset = self.dice.choice((0, 1, -1, 1000, -777, 10**9, -10**9))
            lines.append(f"{rank:<10} {host:<20} {offset:<20} {offset:<20} 1.5")
        self.files["clock-offsets.txt"] = ("\n".join(lines) + "\n").encode()
        return "another clock-offsets.txt"

    FILE_CHANGES = (no_file, empty_file, no_stream, copy_of_stream, other_events, gaps, gaps, clocks_of_hosts)

    KINDS = ((events, 12), (bytes, 2), (metadata, 4), (file, 2))


def places_in(value, path=()):
    """All members and elements of a document: what holds it, its key there, and the way to it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield value, key, (*path, key)
        yield from places_in(inner, (*path, key))


def damage(files, dice):
    """Damages a trace once to four times; the list says how."""
    done, hands = [], Damage(files, dice)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        if what := hands.do():
            done.append(what)
    return done
