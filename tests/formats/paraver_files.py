"""The Paraver files of an emulation as slices, counts and messages, for comparisons with other outputs."""
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple


class Slice(NamedTuple):
    begin: int
    end: int
    name: str


class Message(NamedTuple):
    sender: int  # a row, from 0, as `receiver`
    begin: int
    receiver: int
    posted: int
    end: int
    bytes: int
    tag: int


MPI, WAITS, TID = 25, 320, 2


def title_of(text):
    text = re.sub(r" of the (RUNNING|ACTIVE) thread$| $", "", text)
    return text.removeprefix("Thread: ")


def read_pcf(path):
    titles, labels, current, in_values = {}, {}, [], False
    for line in path.read_text(errors="replace").splitlines():
        number = re.match(r"-?\d+", line)
        if line.startswith("EVENT_TYPE"):
            current, in_values = [], False
        elif line.startswith("VALUES"):
            in_values = True
        elif in_values and number:
            for kind in current:
                labels.setdefault((kind, int(number[0])), line[max(number.end(), 4) + 1:])
        elif not in_values and (event := re.match(r"0 +(\d+) +(.*)", line)):
            current.append(int(event[1]))
            titles[int(event[1])] = title_of(event[2])
    return titles, labels


def int32(value):
    return (value + 2**31) % 2**32 - 2**31


class ParaverFiles:
    """Thread rows only. Slices without length are left out: they show nothing."""

    def __init__(self, directory, partial=False):
        stem = "thread.partial" if partial else "thread"
        directory = Path(directory)
        self.titles, self.labels = read_pcf(directory / f"{stem}.pcf")
        rows = (directory / f"{stem}.row").read_text(errors="replace").splitlines()
        first = next((i for i, row in enumerate(rows) if row.startswith("LEVEL THREAD SIZE")), len(rows))
        self.rows = rows[first + 1:]
        self.lines = defaultdict(list)  # (row, type): (time, value)
        self.messages = []
        with (directory / f"{stem}.prv").open() as text:
            self.duration = int(next(text).split("_ns")[0].rsplit(":", 1)[1])
            for line in text:
                words = [int(word) for word in line.split(":")]
                if words[0] == 3:
                    self.messages.append(Message(words[4] - 1, words[5], words[10] - 1, words[11], words[12], *words[13:]))
                    continue
                for kind, value in zip(words[6::2], words[7::2]):
                    self.lines[words[4] - 1, kind].append((words[5], value))

    def name(self, kind, value):
        return self.labels.get((kind, int32(value)), str(value))

    def slices(self, row, kind):
        made, begin, shown = [], 0, 0
        for time, value in self.lines.get((row, kind), []) + [(self.duration, 0)]:
            if shown and time > begin:
                made.append(Slice(begin, time, self.name(kind, shown)))
            begin, shown = time, value
        return made

    def all_slices(self, left_out=(TID,)):
        """By row and title. Types of callers, which Paraver shows in the place of call sites, are left out."""
        return {(row, self.titles[kind]): self.slices(row, kind) for row, kind in self.lines
                if kind not in left_out and kind < 70000000 and kind in self.titles}

    def counts(self, row, title):
        kind = next(kind for kind, of_kind in self.titles.items() if of_kind == title)
        lines = self.lines[row, kind]
        first = next((i for i, (_, value) in enumerate(lines) if value), len(lines))
        return lines[first:]
