#!/usr/bin/python3
"""paje_rules.py FILE [DIRECTORY [partial]]: checks a trace in the format of Pajé, here and by pj_dump if there is one, and with
DIRECTORY that it says what the Paraver files there say. Prints counts; what is wrong goes to stderr, status 1."""
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from paraver_files import ParaverFiles, Slice, title_of

WORD = re.compile(r'"([^"]*)"|(\S+)')


def fail(what):
    sys.exit(f"paje_rules: {what}")


class Trace:
    def __init__(self, path):
        self.events = {}  # number: (name, fields)
        self.types, self.values, self.containers = {}, {}, {}
        self.shown, self.counts = defaultdict(list), defaultdict(list)
        self.kinds = {}  # of states, by container
        self.links, self.ended, self.destroyed, self.last = {}, {}, set(), 0
        current = None
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n"), 1):
            if line.startswith("%EventDef"):
                _, name, event = line.split()
                current = (name, [])
                self.events[event] = current
            elif line.startswith("%EndEventDef"):
                current = None
            elif line.startswith("%"):
                current[1].append(line.split()[1])
            else:
                words = [quoted if quoted or not plain else plain for quoted, plain in WORD.findall(line)]
                name, fields = self.events.get(words[0], (None, []))
                if len(words) != len(fields) + 1:
                    fail(f"line {number} has {len(words) - 1} fields, {name} has {len(fields)}: {line}")
                self.take(name, dict(zip(fields, words[1:])), number)
        if self.ended.keys() != self.links.keys():
            fail(f"links without two ends: {self.ended.keys() ^ self.links.keys()}")

    def define(self, of, event, number):
        if event["Alias"] in of:
            fail(f"line {number}: {event['Alias']} is defined twice")
        of[event["Alias"]] = event

    def take(self, name, event, number):
        if "Time" in event:
            time = int(Decimal(event["Time"]) * 10**9)
            if time < self.last:
                fail(f"line {number}: the time goes back")
            self.last = time
        if name.startswith("PajeDefine") and name != "PajeDefineEntityValue":
            if event["Type"] not in self.types and event["Type"] != "0":
                fail(f"line {number}: the type {event['Type']} is not defined")
            return self.define(self.types, event, number)
        if event["Type"] not in self.types:
            fail(f"line {number}: the type {event['Type']} is not defined")
        if name == "PajeDefineEntityValue":
            return self.define(self.values, event, number)
        if "Value" in event and name != "PajeSetVariable" and event["Value"] not in self.values:
            fail(f"line {number}: the value {event['Value']} is not defined")
        if name == "PajeCreateContainer":
            if event["Container"] not in self.containers and event["Container"] != "0":
                fail(f"line {number}: its parent is not there")
            return self.define(self.containers, event, number)
        if name == "PajeDestroyContainer":
            return self.destroyed.add(event["Name"])
        for field in "StartContainer", "EndContainer", "Container":
            if field in event and event[field] != "0" and (event[field] not in self.containers or event[field] in self.destroyed):
                fail(f"line {number}: the container {event[field]} is not there")
        if name in ("PajeSetState", "PajePopState"):
            if self.kinds.setdefault(event["Container"], event["Type"]) != event["Type"]:
                fail(f"line {number}: the container has states of two kinds, of which ViTE shows one")
            states = self.shown[event["Container"], event["Type"]]
            if name == "PajePopState" and (not states or states[-1][1] is None):
                fail(f"line {number}: a state ends that has not begun")
            states.append((time, event.get("Value")))
        elif name == "PajeSetVariable":
            self.counts[event["Container"], event["Type"]].append((time, int(event["Value"])))
        elif name == "PajeStartLink":
            if event["Key"] in self.links:
                fail(f"line {number}: a link begins twice")
            self.links[event["Key"]] = (event["StartContainer"], time, event["Bytes"], int(event["Tag"]))
        elif name == "PajeEndLink":
            if event["Key"] not in self.links or event["Key"] in self.ended:
                fail(f"line {number}: a link ends that does not begin before, or twice")
            self.ended[event["Key"]] = (event["EndContainer"], time)
        else:
            fail(f"line {number}: {name}")

    def slices(self, key):
        made, begin, shown = [], 0, None
        for time, value in self.shown[key] + [(self.last, None)]:
            if shown is not None and time > begin:
                made.append(Slice(begin, time, self.values[shown]["Name"]))
            begin, shown = time, value
        return made


def plain(name):
    return re.sub(r"[\t\x00-\x1f\x7f]", " ", name).replace('"', "'")


def compare(trace, files):
    threads = [alias for alias, container in trace.containers.items() if container["Type"] == "T"]
    if [trace.containers[alias]["Name"] for alias in threads] != [plain(row) for row in files.rows]:
        fail("threads are not the rows of the Paraver file")
    types = {title_of(event["Name"]): alias for alias, event in trace.types.items()}
    below = defaultdict(list)  # by thread: its states
    for container, kind in trace.kinds.items():
        of = trace.containers[container]
        below[container if of["Type"] == "T" else of["Container"]].append((container, kind))
    for (row, title), expected in files.all_slices().items():
        kind = types[plain(title)]
        key = next((key for key in below[threads[row]] if key[1] == kind), (threads[row], kind))
        if key in trace.counts:
            lines = next(files.lines[row, kind] for kind in files.titles if files.titles[kind] == title)
            if trace.counts[key] != lines:
                fail(f"counts of {key}: {trace.counts[key][:3]}, {lines[:3]}")
            continue
        found, expected = trace.slices(key), [Slice(s.begin, s.end, plain(s.name)) for s in expected]
        if found != expected:
            at = next((i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), min(len(found), len(expected)))
            fail(f"{title} of row {row}: {len(found)} states, {len(expected)} in lines; the first that differs is {at}: "
                 f"{found[at:at + 3]}, {expected[at:at + 3]}")
    row_of = {alias: row for row, alias in enumerate(threads)}
    found = []
    for key, (sender, begin, size, tag) in trace.links.items():
        receiver, end = trace.ended[key]
        size = 2**31 - 1 if size == "unknown" else min(int(size), 2**31 - 1)
        found.append((row_of[sender], begin, row_of[receiver], end, size, tag))
    expected = [(m.sender, m.begin, m.receiver, max(m.begin, m.end), m.bytes, m.tag) for m in files.messages]
    if found != expected:
        fail(f"{len(found)} links, {len(expected)} messages in lines, or others: {found[:2]}, {expected[:2]}")


def main():
    trace = Trace(sys.argv[1])
    if len(sys.argv) > 2:
        compare(trace, ParaverFiles(sys.argv[2], partial=sys.argv[3:] == ["partial"]))
    if shutil.which("pj_dump"):
        done = subprocess.run(["pj_dump", sys.argv[1]], capture_output=True, text=True, errors="replace")
        if done.returncode or done.stderr.strip():
            fail(f"pj_dump: {done.stderr}")
        dumped = sum(line.startswith("Link") for line in done.stdout.splitlines())
        if dumped != len(trace.links):
            fail(f"pj_dump knows {dumped} links, the file has {len(trace.links)}")
    states = sum(len(trace.slices(key)) for key in list(trace.shown))
    print(f" containers={len(trace.containers)} states={states} messages={len(trace.links)} ")


main()
