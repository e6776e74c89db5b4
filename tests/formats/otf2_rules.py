#!/usr/bin/python3
"""otf2_rules.py ARCHIVE [DIRECTORY [partial]]: checks an OTF2 archive with the library's own readers, and with DIRECTORY that it
says what the Paraver files there say. Prints counts; what is wrong goes to stderr, status 1. Needs otf2-print and python3-otf2."""
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import otf2
from otf2.enums import GroupType, LocationType
from otf2.events import (Enter, Leave, Metric, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend,
                         MpiIsendComplete, MpiRecv, MpiSend, NonBlockingCollectiveComplete, NonBlockingCollectiveRequest)

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from otf2_objects import Objects
from paraver_files import ParaverFiles, Slice, title_of


def fail(what):
    sys.exit(f"otf2_rules: {what}")


class Archive:
    def __init__(self, path):
        self.stacks, self.shown = defaultdict(list), defaultdict(list)
        self.sends, self.receives, self.collectives = [], [], Counter()
        self.blocking, self.requests, self.last = Counter(), defaultdict(set), defaultdict(int)
        self.posted, self.by_request, self.counts = defaultdict(dict), [], defaultdict(list)
        self.isends, self.completed, self.objects = defaultdict(dict), [], Objects()
        with otf2.reader.open(str(path / "traces.otf2")) as trace:
            locations = list(trace.definitions.locations)
            self.rows = [location.name for location in locations]
            row_of = {location: row for row, location in enumerate(locations)}
            self.expected_events = [location.number_of_events for location in locations]
            groups = {comm: comm.group for comm in trace.definitions.comms}
            self.found_events = Counter()
            for location, event in trace.events:
                if location.type != LocationType.CPU_THREAD:
                    fail(f"{location} is no thread")
                self.take(row_of[location], event, location.group)
            self.process_of = {row: location.group for location, row in row_of.items()}
            self.resolve(groups)
        for row, stack in self.stacks.items():
            if stack:
                fail(f"regions of {self.rows[row]} are open at the end: {stack}")
        if [self.found_events[row] for row in range(len(self.rows))] != self.expected_events:
            fail("the numbers of events are not those that the definitions tell")

    def take(self, row, event, process):
        self.found_events[row] += 1
        if event.time < self.last[row]:
            fail(f"the time goes back: {event}")
        self.last[row] = event.time
        if isinstance(event, (Enter, Leave)):
            region = event.region.description, event.region.name
            stack = self.stacks[row]
            if isinstance(event, Enter):
                stack.append(region)
            elif not stack or stack.pop() != region:
                fail(f"another region is left than was entered last: {event}")
            top = next((name for title, name in reversed(stack) if title == region[0]), None)
            self.shown[row, title_of(region[0])].append((event.time, top))
        elif isinstance(event, MpiSend):
            self.sends.append((row, event))
        elif isinstance(event, MpiRecv):
            self.receives.append((row, event))
        elif isinstance(event, MpiIsend):
            self.expect_new(row, event)
            self.sends.append((row, event))
            self.isends[row][event.request_id] = event.time
        elif isinstance(event, MpiIsendComplete):
            if event.request_id not in self.isends[row]:
                fail(f"nothing has made the request: {event}")
            self.completed.append((row, self.isends[row].pop(event.request_id), event.time))
        elif isinstance(event, MpiIrecvRequest):
            self.expect_new(row, event)
            self.posted[row][event.request_id] = event.time, self.stacks[row][-1][1]
        elif isinstance(event, MpiIrecv):
            if event.request_id not in self.posted[row]:
                fail(f"nothing has made the request: {event}")
            self.receives.append((row, event))
            self.by_request.append((row, event, *self.posted[row].pop(event.request_id)))
        elif isinstance(event, Metric):
            title, = (member.name for member in event.metric.members)
            self.counts[row, title_of(title)].append((event.time, event.values[0]))
        elif isinstance(event, MpiCollectiveBegin):
            self.blocking[row] += 1
        elif isinstance(event, MpiCollectiveEnd):
            self.blocking[row] -= 1
            self.collectives[event.communicator] += 1
        elif isinstance(event, NonBlockingCollectiveRequest):
            self.expect_new(row, event)
            self.requests[row].add(event.request_id)
        elif isinstance(event, NonBlockingCollectiveComplete):
            if event.request_id not in self.requests[row]:
                fail(f"nothing has made the request: {event}")
            self.requests[row].remove(event.request_id)
            self.collectives[event.communicator] += 1
        elif not self.objects.take(row, process, event, self.stacks[row][-1][1] if self.stacks[row] else None):
            fail(f"unknown event: {event}")

    def expect_new(self, row, event):
        if any(event.request_id in made[row] for made in (self.posted, self.requests, self.isends)):
            fail(f"a request is made twice: {event}")

    def resolve(self, groups):
        """Ends of messages by processes."""
        def process(row, comm, rank):
            if groups[comm].group_type == GroupType.COMM_SELF:
                return self.process_of[row]
            if rank >= len(groups[comm].members):
                fail(f"{comm} has no rank {rank}")
            return groups[comm].members[rank].group
        self.sent = Counter((self.process_of[row], process(row, e.communicator, e.receiver), e.time, e.msg_length, e.msg_tag)
                            for row, e in self.sends)
        self.received = Counter((process(row, e.communicator, e.sender), self.process_of[row], e.time, e.msg_length, e.msg_tag)
                                for row, e in self.receives)

    def slices(self, row, title):
        made, begin, shown = [], 0, None
        for time, name in self.shown.get((row, title), []):
            if shown is not None and time > begin:
                made.append(Slice(begin, time, shown))
            begin, shown = time, name
        return made


def joined(slices):
    """Neighbours of one name as one: a region may be left and entered again at one time."""
    made = []
    for part in slices:
        if made and made[-1].end == part.begin and made[-1].name == part.name:
            part = Slice(made.pop().begin, part.end, part.name)
        made.append(part)
    return made


def compare_requests(archive, files):
    """A receive by request is one whose call posts it and nothing else; no other one is."""
    process = archive.process_of
    posts = {"MPI_Irecv", "MPI_Imrecv"}
    calls = {(row, part.begin) for (row, title), parts in files.all_slices().items() if title == "MPI function"
             for part in parts if part.name in posts}
    expected = Counter((m.receiver, m.posted, max(m.begin, m.end), m.tag) for m in files.messages if (m.receiver, m.posted) in calls)
    found = Counter((row, posted, event.time, event.msg_tag) for row, event, posted, function in archive.by_request)
    if found != expected:
        fail(f"receives by request: {list((found - expected).items())[:3]}, lines {list((expected - found).items())[:3]}")
    if wrong := {function for *_, function in archive.by_request} - posts:
        fail(f"requests of {wrong}")


def compare_sends(archive, files):
    """A send has a request if its call makes or starts one; it is complete where a call of its process ends."""
    calls, ends = {}, defaultdict(set)
    for (row, title), parts in files.all_slices().items():
        if title == "MPI function":
            calls.update({(row, part.begin): part.name for part in parts})
            ends[archive.process_of[row]].update(part.end for part in parts)
    for row, event in archive.sends:
        name = calls.get((row, event.time))
        if name and name.startswith(("MPI_I", "MPI_Start")) != isinstance(event, MpiIsend):
            fail(f"a send of {name}: {event}")
    for row, _, complete in archive.completed:
        if complete not in ends[archive.process_of[row]]:
            fail(f"a send of row {row} is complete amid a call, at {complete}")


def compare_counts(archive, files):
    for (row, title), found in archive.counts.items():
        expected = files.counts(row, title)
        first = next((i for i, (_, value) in enumerate(found) if value), len(found))
        if found[first:] != expected:
            fail(f"counts of {title} of row {row}: {found[:5]}, lines {expected[:5]}")


def compare(archive, files):
    if archive.rows != files.rows:
        fail("locations are not the rows of the Paraver file")
    titles = {title for _, title in archive.shown}
    for (row, title), expected in files.all_slices().items():
        if title not in titles:
            continue  # no stack, or never shown
        found, expected = joined(archive.slices(row, title)), joined(expected)
        if found != expected:
            at = next((i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), min(len(found), len(expected)))
            fail(f"{title} of row {row}: {len(found)} slices, {len(expected)} in lines; the first that differs is {at}: "
                 f"{found[at:at + 3]}, {expected[at:at + 3]}")
    compare_requests(archive, files)
    compare_sends(archive, files)
    archive.objects.compare(files)
    compare_counts(archive, files)
    if "MPI function" not in titles and any(found for (_, title), found in files.all_slices().items() if title == "MPI function"):
        fail("no call of MPI is there")

    def size(length):
        return min(length, 2**31 - 1)
    process = archive.process_of
    expected = Counter((process[m.sender], process[m.receiver], m.begin, m.bytes, m.tag) for m in files.messages)
    found = Counter({(a, b, t, size(n), tag): k for (a, b, t, n, tag), k in archive.sent.items()})
    if found != expected:
        fail(f"sends: {list((found - expected).items())[:3]}, lines {list((expected - found).items())[:3]}")
    expected = Counter((process[m.sender], process[m.receiver], max(m.begin, m.end), m.bytes, m.tag) for m in files.messages)
    found = Counter({(a, b, t, size(n), tag): k for (a, b, t, n, tag), k in archive.received.items()})
    if found != expected:
        fail(f"receives: {list((found - expected).items())[:3]}, lines {list((expected - found).items())[:3]}")


def main():
    path = Path(sys.argv[1])
    printed = subprocess.run(["otf2-print", "-G", path / "traces.otf2"], capture_output=True)
    # The readers refuse an archive without locations.
    if b"Find location definitions" in printed.stderr and sys.argv[2:] and not ParaverFiles(sys.argv[2]).rows:
        return print(" locations=0 ")
    if printed.returncode or b"error" in printed.stderr or b"warning" in printed.stderr:
        fail(printed.stderr.decode())
    archive = Archive(path)
    if any(archive.blocking.values()):
        fail(f"collectives without end: {archive.blocking}")
    if sys.argv[3:] != ["partial"]:
        archive.objects.finish()
    if len(sys.argv) > 2:
        compare(archive, ParaverFiles(sys.argv[2], partial=sys.argv[3:] == ["partial"]))
    counts = {"locations": len(archive.rows), "kinds": len({title for _, title in archive.shown}), "messages": len(archive.sends), "collectives": sum(archive.collectives.values()),
              "requests": len(archive.by_request), "isends": len(archive.completed), "metrics": len(archive.counts), **archive.objects.counts()}
    print(" " + " ".join(f"{name}={count}" for name, count in counts.items()) + " ")


main()
