"""Reads a file of columns (ovniemu --hdf5) as prv.py reads Paraver's: one channel type, as intervals of every row."""
from pathlib import Path

import numpy as np

from prv import EventType, Legend, Trace, TraceError, find_prv, intervals_of

SIGNATURE = b"\x89HDF\r\n\x1a\n"
FORMAT, VERSION = "ovni-mpi columns", 1
PART = 1 << 20  # rows


class Columns:
    """The columns of the threads or of the CPUs. Members that prv.Trace has, too, are used alike."""

    def __init__(self, path, name="thread"):
        try:
            import h5py
        except ImportError as e:
            raise TraceError(f"{path}: {e}") from e
        self.source, self.name = Path(path), name
        if Path(path).is_dir():
            raise TraceError(f"{path}: a directory, not a file of columns, as of ovniemu --hdf5")
        if not is_hdf5(path):
            raise TraceError(f"{path}: not a file of columns, as of ovniemu --hdf5")
        try:
            self.file = h5py.File(path, "r")
        except OSError as e:
            raise TraceError(f"{path}: damaged, HDF5 cannot open it") from e
        if text(self.file.attrs.get("format", "")) != FORMAT or self.file.attrs.get("version") != VERSION:
            raise TraceError(f"{path}: not a file of columns of version {VERSION}")
        self.duration = int(self.file.attrs["duration"])
        self.table = self.file[f"rows/{name}s"][:]
        self.rows = len(self.table)
        self.labels = [self._label(row) for row in self.table]
        self.legend = self._read_legend()

    def ranks(self):
        """The rank of each row, -1 if there is none, as of a CPU."""
        return self.table["rank"] if "rank" in self.table.dtype.names else np.full(self.rows, -1)

    def applications(self):
        """The number of the application of each row, 0 if there is none, as of a CPU."""
        if "process" not in self.table.dtype.names:
            return np.zeros(self.rows, np.int64)
        return self.file["rows/processes"]["app"][self.table["process"]]

    def has(self, channel_type):
        return f"channels/{channel_type}" in self.file and bool((self._changes(channel_type)[self.name] >= 0).any())

    def types_shown(self):
        return {int(name) for name in self.file["channels"] if self.has(name)}

    def intervals(self, channel_type):
        if f"channels/{channel_type}" not in self.file:
            return intervals_of(np.empty((0, 3), np.int64), self.duration)
        changes = self._changes(channel_type)
        shown = changes[changes[self.name] >= 0]
        table = np.stack([shown[self.name].astype(np.int64) + 1, shown["time"], shown["value"]], axis=1)
        return intervals_of(table, self.duration)

    def has_messages(self):
        return "messages" in self.file

    def messages(self):
        """The messages of MPI, in parts that fit into memory."""
        data = self.file["messages"]
        for first in range(0, len(data), PART):
            yield data[first : first + PART]

    def _changes(self, channel_type):
        return self.file[f"channels/{channel_type}"][:]

    def _label(self, row):
        rank = row["rank"] if "rank" in self.table.dtype.names else -1
        if rank < 0 or text(row["label"]).startswith("rank "):
            return text(row["label"])
        loom = text(self.file["rows/looms"]["name"][row["loom"]])
        return f"rank {rank} {loom} {text(row['label'])}"

    def _read_legend(self):
        legend = Legend()
        for row in self.file["types"][:]:
            if text(row["file"]) == self.name:
                legend.types[int(row["type"])] = EventType(text(row["title"]).strip())
        for row in self.file["labels"][:]:
            if text(row["file"]) == self.name:
                legend.types[int(row["type"])].labels[int(row["value"])] = text(row["label"]).strip()
        return legend


def text(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def is_hdf5(path):
    if Path(path).is_dir():
        return False
    with open(path, "rb") as f:
        return f.read(len(SIGNATURE)) == SIGNATURE


def open_trace(path, name="thread"):
    """The trace meant by a path: a file of columns, a trace directory, or a PRV file."""
    return Columns(path, name) if is_hdf5(path) else Trace(find_prv(path, name))
