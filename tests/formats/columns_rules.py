#!/usr/bin/python3
"""columns_rules.py FILE [DIRECTORY [partial]]: checks the columns of a trace, and with DIRECTORY that they say what the Paraver
files there say. Prints counts; what is wrong goes to stderr, status 1."""
import sys
from collections import defaultdict
from pathlib import Path

import h5py

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from paraver_files import Message, ParaverFiles, int32, title_of

LARGEST = 2**31 - 1  # number of bytes in a line


def fail(what):
    sys.exit(f"columns_rules: {what}")


def text(cell):
    return cell.decode("utf-8")


class Columns(ParaverFiles):
    """The same members as of the Paraver files, and the same slices of them."""

    def __init__(self, path):
        self.changes = 0
        with h5py.File(path) as file:
            self.complete = int(file.attrs["complete"])
            self.duration = int(file.attrs["duration"])
            of_threads = [row for row in file["types"] if row["file"] == b"thread"]
            self.titles = {int(row["type"]): title_of(text(row["title"])) for row in of_threads}
            self.labels = {(int(row["type"]), int32(int(row["value"]))): text(row["label"]) for row in file["labels"] if row["file"] == b"thread"}
            self.rows = [text(row["label"]) for row in file["rows/threads"]]
            self.lines = defaultdict(list)
            for kind, changes in file.get("channels", {}).items():  # an empty trace has none
                self.read_changes(int(kind), changes[:], len(file["rows/cpus"]))
            self.messages = [self.message(row) for row in file["messages"]] if "messages" in file else []
            self.collectives = len(file["collectives"]) if "collectives" in file else 0
            for name in ("messages", "waits", "collectives"):
                if name in file and (file[name]["time"][1:] < file[name]["time"][:-1]).any():
                    fail(f"/{name} is not in the order of time")

    def read_changes(self, kind, changes, cpus):
        self.changes += len(changes)
        if (changes["time"][1:] < changes["time"][:-1]).any():
            fail(f"/channels/{kind} is not in the order of time")
        for column, rows in (("thread", len(self.rows)), ("cpu", cpus)):
            if len(changes) and not (-1 <= changes[column].min() and changes[column].max() < rows):
                fail(f"/channels/{kind}: a {column} that is no row")
        for change in changes[changes["thread"] >= 0]:
            self.lines[int(change["thread"]), kind].append((int(change["time"]), int(change["value"])))

    def message(self, row):
        return Message(int(row["sender"]), int(row["time"]), int(row["receiver"]), int(row["receive_begin"]), int(row["receive_end"]),
                       min(int(row["bytes"]), LARGEST), int(row["tag"]))


def compare(columns, files):
    if columns.rows != files.rows:
        fail(f"rows: {columns.rows[:3]}, {files.rows[:3]}")
    if columns.duration != files.duration:
        fail(f"duration: {columns.duration}, {files.duration}")
    found, expected = columns.all_slices(), files.all_slices()
    for key in sorted(expected.keys() | found.keys()):
        if key[1] in files.titles.values() and found.get(key, []) != expected.get(key, []):
            fail(f"{key}: {found.get(key, [])[:3]}, {expected.get(key, [])[:3]}")
    if sorted(columns.messages) != sorted(files.messages):
        fail(f"{len(columns.messages)} messages, {len(files.messages)} in lines, or others")


def main():
    columns = Columns(sys.argv[1])
    is_partial = sys.argv[3:] == ["partial"]
    if columns.complete == is_partial:
        fail(f"complete is {columns.complete}")
    if len(sys.argv) > 2:
        compare(columns, ParaverFiles(sys.argv[2], partial=is_partial))
    print(f" changes={columns.changes} messages={len(columns.messages)} collectives={columns.collectives} ")


main()
