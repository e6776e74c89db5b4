"""Reads a Paraver trace (PRV, PCF, ROW) as the emulator writes it: one event type, as intervals of every row."""
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rows import with_ranks

CHUNK = 16 << 20
OTHERS = rb"(?:\d+:-?\d+:)*"  # a line may have several types, each with a value


class TraceError(Exception):
    """The trace cannot be read; the text says which file and why."""


@dataclass
class EventType:
    title: str
    labels: dict = field(default_factory=dict)


@dataclass
class Legend:
    """The contents of the PCF: event types by number."""

    types: dict = field(default_factory=dict)

    def label(self, event_type, value):
        known = self.types.get(event_type)
        return known.labels.get(value, str(value)) if known else str(value)

    def labels(self, event_type):
        known = self.types.get(event_type)
        return frozenset(known.labels.values()) if known else frozenset()

    def title(self, event_type):
        known = self.types.get(event_type)
        return known.title if known else f"event type {event_type}"


@dataclass
class Intervals:
    """Columns of equal length: from `begin` to `end` a row (from 0) shows `value`, which is never 0. Sorted by row, begin."""

    row: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    value: np.ndarray

    def cut(self, begin, end):
        """The parts that lie between two times."""
        keep = (self.end > begin) & (self.begin < end)
        return Intervals(self.row[keep], np.maximum(self.begin[keep], begin), np.minimum(self.end[keep], end), self.value[keep])

    def length(self):
        return self.end - self.begin


def intervals_of(table, duration):
    """From changes (row from 1, time, value) in the order of the file."""
    table = table[np.argsort(table[:, 0], kind="stable")]
    row, time, value = table[:, 0] - 1, table[:, 1], table[:, 2]
    first = np.ones(len(table), bool)
    first[1:] = (row[1:] != row[:-1]) | (value[1:] != value[:-1])  # a value that is written again goes on
    row, time, value = row[first], time[first], value[first]
    end = np.full(len(row), duration, np.int64)
    same = row[1:] == row[:-1]
    end[:-1][same] = time[1:][same]
    keep = (value != 0) & (end > time)
    return Intervals(row[keep], time[keep], end[keep], value[keep])


class Trace:
    """A PRV file with its side files. `path` is the PRV file, `source` what titles and messages call it."""

    def __init__(self, path):
        self.path = self.source = Path(path)
        self.duration, self.rows = self._read_header()
        self.labels = self._read_labels()
        self.legend = self._read_legend()

    def has(self, event_type):
        """Is there a line of that type?"""
        mark = re.compile(rb"^2:(?:\d+:){5}%s%d:" % (OTHERS, event_type), re.M)
        return any(mark.search(chunk) for chunk in self._chunks())

    def types_shown(self):
        mark = re.compile(rb"^2:(?:\d+:){5}(.*)$", re.M)
        shown = {found for chunk in self._chunks() for found in set(mark.findall(chunk))}
        return {int(number) for found in shown for number in found.split(b":")[::2]}

    def intervals(self, event_type):
        lines = re.compile(rb"^2:\d+:\d+:\d+:(\d+):(\d+):%s%d:(-?\d+)(?::|$)" % (OTHERS, event_type), re.M)
        parts = [np.array(found, dtype=np.bytes_).astype(np.int64) for chunk in self._chunks() if (found := lines.findall(chunk))]
        table = np.concatenate(parts) if parts else np.empty((0, 3), np.int64)
        return intervals_of(table, self.duration)

    def _chunks(self):
        """Blocks of whole lines."""
        with open(self.path, "rb") as f:
            rest = b""
            while block := f.read(CHUNK):
                block = rest + block
                cut = block.rfind(b"\n") + 1
                rest = block[cut:]
                yield block[:cut]
            if rest:
                yield rest

    def _read_header(self):
        try:
            with open(self.path, "rb") as f:
                head = f.readline().decode("ascii", "replace")
        except OSError as e:
            raise TraceError(f"{self.path}: {e.strerror}") from e
        match = re.match(r"#Paraver \([^)]*\):(\d+)_ns:0:1:1\((\d+):1\)", head)
        if not match:
            raise TraceError(f"{self.path}: not the header of a Paraver trace")
        return int(match[1]), int(match[2])

    def _read_labels(self):
        labels = [f"row {i + 1}" for i in range(self.rows)]
        path = self.path.with_suffix(".row")
        if path.exists():
            lines = path.read_text(errors="replace").split("\n")
            start = next((i for i, line in enumerate(lines) if line.startswith("LEVEL THREAD")), len(lines))
            for i, line in enumerate(lines[start + 1 : start + 1 + self.rows]):
                labels[i] = line.strip() or labels[i]
        return with_ranks(labels, self.path.parent, self.duration)

    def _read_legend(self):
        legend, section, current = Legend(), None, None
        path = self.path.with_suffix(".pcf")
        for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
            if re.fullmatch(r"[A-Z_]+", line):
                section = line
            elif section == "EVENT_TYPE" and (m := re.match(r"\d+\s+(\d+)\s+(.*)", line)):
                current = legend.types.setdefault(int(m[1]), EventType(m[2].strip()))
            elif section == "VALUES" and current and (m := re.match(r"(-?\d+)\s+(.*)", line)):
                current.labels[int(m[1])] = m[2].strip()
        return legend


def find_prv(path, name="thread"):
    """The PRV file meant by a path, which is a trace directory or the file itself."""
    path = Path(path)
    return path / f"{name}.prv" if path.is_dir() else path
