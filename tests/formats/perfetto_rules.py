#!/usr/bin/python3
"""perfetto_rules.py FILE [DIRECTORY [partial|NS]]: checks what a Perfetto trace must keep to, and with DIRECTORY that it says what the
Paraver files there say, but for slices shorter than NS. Prints counts; what is wrong goes to stderr, status 1. Needs protoc."""
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from paraver_files import Message, ParaverFiles, Slice

MPI_TITLE = "MPI function"


def fail(what):
    sys.exit(f"perfetto_rules: {what}")


def decoded(path):
    """Packets as dictionaries; each field is a list."""
    schema = Path(__file__).parent / "perfetto.proto"
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", f"-I{schema.parent}", "--decode=Trace", schema.name], stdin=file, capture_output=True)
    if done.returncode:
        fail(done.stderr.decode())
    stack = [{}]
    for line in done.stdout.decode().splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            inner = {}
            stack[-1].setdefault(line[:-2], []).append(inner)
            stack.append(inner)
        else:
            field, text = line.split(": ", 1)
            value = unescaped(text) if text.startswith('"') else int(text) if text.lstrip("-").isdigit() else text
            stack[-1].setdefault(field, []).append(value)
    return stack[0].get("packet", [])


ESCAPES = {"n": 10, "t": 9, "r": 13, '"': 34, "'": 39, "\\": 92}


def unescaped(text):
    made, at, text = bytearray(), 0, text[1:-1]
    while at < len(text):
        if text[at] != "\\":
            made += text[at].encode()
            at += 1
        elif text[at + 1] in ESCAPES:
            made.append(ESCAPES[text[at + 1]])
            at += 2
        else:
            made.append(int(text[at + 1:at + 4], 8))
            at += 4
    return made.decode()


def only(message, field, default=None):
    values = message.get(field, [default])
    if len(values) != 1:
        fail(f"{field} stands {len(values)} times in {message}")
    return values[0]


class Trace:
    def __init__(self, path):
        self.tracks, self.names, self.keys = {}, {}, {}
        self.slices, self.open, self.counts = defaultdict(list), {}, defaultdict(list)
        self.details = {}  # of slices: arguments and flows
        self.instants = []  # (time, track, name, arguments, flows that end, flows that begin)
        self.flows, self.ended = Counter(), Counter()
        self.events = Counter()
        for number, packet in enumerate(decoded(path)):
            if any(field.isdigit() for field in packet):
                fail(f"packet {number} has unknown fields: {packet}")
            if only(packet, "trusted_packet_sequence_id") != 1 or only(packet, "sequence_flags") != (2 if number else 1):
                fail(f"packet {number} is not one of the sequence: {packet}")
            for interned in packet.get("interned_data", []):
                self.intern(interned)
            for descriptor in packet.get("track_descriptor", []):
                self.describe(descriptor)
            for event in packet.get("track_event", []):
                self.take(event, only(packet, "timestamp", 0))
        if self.open:
            fail(f"slices are open at the end: {self.open}")
        if self.flows != self.ended:
            fail(f"flows without two ends: {self.flows - self.ended} {self.ended - self.flows}")
        if any(n != 1 for n in self.flows.values()):
            fail("a flow begins twice")

    def intern(self, interned):
        for field, names in ("event_names", self.names), ("debug_annotation_names", self.keys):
            for entry in interned.get(field, []):
                number = only(entry, "iid")
                if not number or number in names:
                    fail(f"name {number} is given twice")
                names[number] = only(entry, "name", "")

    def describe(self, descriptor):
        track, parent = only(descriptor, "uuid"), only(descriptor, "parent_uuid")
        if not track or track in self.tracks:
            fail(f"track {track} is described twice")
        if parent is not None and parent not in self.tracks:
            fail(f"the parent of track {track} is not described before it")
        self.tracks[track] = descriptor

    def arguments(self, event):
        made = {}
        for annotation in event.get("debug_annotations", []):
            key = self.keys.get(only(annotation, "name_iid"))
            if key is None or key in made:
                fail(f"argument without a name, or twice: {event}")
            made[key] = next((annotation[f][0] for f in ("int_value", "uint_value", "string_value") if f in annotation), None)
            if made[key] is None:
                fail(f"argument {key} without a value")
        return made

    def take(self, event, time):
        kind, track = only(event, "type"), only(event, "track_uuid")
        self.events[kind] += 1
        if track not in self.tracks:
            fail(f"an event of the track {track}, which is not described before: {event}")
        if ("counter" in self.tracks[track]) != (kind == "COUNTER"):
            fail(f"a track of the wrong kind: {event}")
        name = only(event, "name")
        if "name_iid" in event:
            name = self.names.get(only(event, "name_iid"))
        if (name is not None) != (kind in ("SLICE_BEGIN", "INSTANT")):
            fail(f"a name is missing or out of place: {event}")
        arguments, flows, ended = self.arguments(event), event.get("flow_ids", []), event.get("terminating_flow_ids", [])
        self.flows.update(flows)
        self.ended.update(ended)
        if kind == "SLICE_BEGIN":
            if track in self.open:
                fail(f"a slice begins in another one: {event}")
            if self.slices[track] and self.slices[track][-1].end > time:
                fail(f"a slice begins before the last one has ended: {event}")
            self.open[track] = (time, name)
            self.details[track, time, name] = (arguments, flows)
        elif kind == "SLICE_END":
            if track not in self.open or self.open[track][0] > time:
                fail(f"a slice ends that is not open, or before it begins, at {time}: {event}")
            begin, name = self.open.pop(track)
            self.slices[track].append(Slice(begin, time, name))
        elif kind == "INSTANT":
            self.instants.append((time, track, name, arguments, ended, flows))
        else:
            self.counts[track].append((time, only(event, "counter_value")))

    def rows(self):
        """The tracks of threads, in the order in which they are described."""
        return {track: row for row, track in enumerate(t for t, d in self.tracks.items() if "thread" in d)}


def messages_of(trace, rows):
    begins = {}
    for (track, time, name), (arguments, flows) in trace.details.items():
        for flow in flows:
            begins[flow] = (rows[track], time, arguments)
    for time, track, name, arguments, ended, flows in trace.instants:
        for flow in flows:
            begins[flow] = (rows[track], time, arguments)
    made = []
    for time, track, name, arguments, ended, flows in trace.instants:
        for flow in ended:
            sender, begin, told = begins[flow]
            if {k: told.get(k) for k in ("tag", "bytes", "communicator")} != \
                    {k: arguments.get(k) for k in ("tag", "bytes", "communicator")}:
                fail(f"two ends of one message differ: {told}, {arguments}")
            size = min(arguments.get("bytes", 2**64 - 1), 2**31 - 1)
            made.append((flow, Message(sender, begin, rows[track], arguments["posted"], time, size, arguments["tag"])))
    return [message for _, message in sorted(made)]


def compare(trace, files, shortest):
    rows = trace.rows()
    short = 0
    if [trace.tracks[t]["thread"][0]["thread_name"][0] for t in rows] != files.rows:
        fail("threads are not the rows of the Paraver file")
    mine = {}
    for track, descriptor in trace.tracks.items():
        if track in rows:
            mine[rows[track], MPI_TITLE] = trace.slices[track]
        elif "counter" in descriptor:
            key = rows[only(descriptor, "parent_uuid")], only(descriptor, "name")
            if trace.counts[track] != files.counts(*key):
                fail(f"counts of {key}: {trace.counts[track][:5]}, lines {files.counts(*key)[:5]}")
            mine[key] = None
        elif "process" not in descriptor:
            key = rows[only(descriptor, "parent_uuid")], only(descriptor, "name")
            if key in mine:
                fail(f"two tracks {key}")
            mine[key] = trace.slices[track]
    for key, expected in files.all_slices().items():
        found = mine.get(key, [])
        if found is None:
            continue
        found = [s for s in found if s.end > s.begin]
        if any(s.end - s.begin < shortest for s in found):
            fail(f"{key}: short slices are there")
        short += sum(s.end - s.begin < shortest for s in expected)
        expected = [s for s in expected if s.end - s.begin >= shortest]
        if found != expected:
            at = next((i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), min(len(found), len(expected)))
            fail(f"{key}: {len(found)} slices, {len(expected)} in lines; the first that differs is {at}: {found[at:at + 3]}, "
                 f"{expected[at:at + 3]}")
    messages = messages_of(trace, rows)
    if messages != files.messages:
        fail(f"{len(messages)} messages, {len(files.messages)} in lines, or other ones: {messages[:3]}, {files.messages[:3]}")
    return len(messages), short


def main():
    trace = Trace(sys.argv[1])
    counts = {"tracks": len(trace.tracks), "slices": trace.events["SLICE_BEGIN"], "counts": trace.events["COUNTER"]}
    if len(sys.argv) > 2:
        shortest = int(sys.argv[3]) if sys.argv[3:] and sys.argv[3].isdigit() else 0
        counts["messages"], counts["short"] = compare(trace, ParaverFiles(sys.argv[2], partial=sys.argv[3:] == ["partial"]), shortest)
    for name in "collective", "window", "file":
        counts[name + "s"] = sum(instant[2] == name for instant in trace.instants)
    for name in "send", "receive":
        causes = Counter(arguments["cause"] for _, _, what, arguments, _, _ in trace.instants if what == f"unmatched {name}")
        counts[f"unmatched_{name}s"] = sum(causes.values())
        counts[f"causes_of_{name}s"] = ",".join(sorted(causes)).replace(" ", "_")
    counts["waits"] = sum(len(s) for t, s in trace.slices.items() if trace.tracks[t].get("name") == ["MPI wait state"])
    print(" " + " ".join(f"{name}={count}" for name, count in counts.items()) + " ")


main()
