#!/usr/bin/python3
"""columns_as_prv.py FILE.h5 DIRECTORY [OTHER.h5]: turns the columns back into lines of Paraver files and compares them with those
in DIRECTORY; at one time lines of different types stand there in the order of events, here by type. With OTHER also whether both
files have the same objects, attributes and rows. Prints what differs, status 1. Messages are compared with the lines of messages."""
import re
import sys
from collections import Counter
from pathlib import Path

import h5py
import numpy


def fail(what):
    sys.exit(f"columns_as_prv: {what}")


def lines_of(rows, times, types, values):
    table = numpy.stack([rows + 1, times, types, values], axis=1)
    return table[numpy.lexsort((numpy.arange(len(table)), table[:, 2], table[:, 1]))]


def from_channels(file, column):
    parts = [(data[column].astype(numpy.int64), data["time"], numpy.full(len(data), int(name)), data["value"])
             for name, data in ((name, dataset[:]) for name, dataset in file.get("channels", {}).items())]
    if not parts:
        return numpy.empty((0, 4), numpy.int64)
    rows, times, types, values = (numpy.concatenate(column) for column in zip(*parts))
    shown = rows >= 0
    return lines_of(rows[shown], times[shown], types[shown], values[shown])


def from_breakdown(file, name):
    data = file["breakdowns"][name][:]
    kind = [t["type"] for t in file["types"][:] if t["file"].decode() == name]
    return lines_of(data["row"].astype(numpy.int64), data["time"], numpy.full(len(data), kind[0] if kind else 0), data["value"])


def from_prv(path):
    with path.open() as text:
        header = text.readline()
        table = numpy.array([[int(word) for word in line.split(":")] for line in text if not line.startswith("3:")],
                            dtype=numpy.int64).reshape(-1, 8)
    return header, lines_of(table[:, 4] - 1, table[:, 5], table[:, 6], table[:, 7])


def messages_of(file):
    data = file["messages"][:] if "messages" in file else []
    return [[3, 0, 1, 1, m["sender"] + 1, m["time"], m["send_end"], 0, 1, 1, m["receiver"] + 1, m["receive_begin"], m["receive_end"],
             min(int(m["bytes"]), 2**31 - 1), m["tag"]] for m in data]


def compare_messages(file, path):
    with path.open() as text:
        lines = [[int(word) for word in line.split(":")] for line in text if line.startswith("3:")]
    rows = messages_of(file)
    if len(rows) != len(lines):
        fail(f"{len(rows)} messages, {len(lines)} lines of messages")
    for at, (row, line) in enumerate(zip(rows, lines)):
        if row != line:
            fail(f"message {at} is {row}, its line {line}")


def compare(what, columns, lines):
    if columns.shape != lines.shape:
        fail(f"{what}: {len(columns)} rows, {len(lines)} lines")
    different = numpy.nonzero((columns != lines).any(axis=1))[0]
    if len(different):
        fail(f"{what}: row {different[0]} is {columns[different[0]]}, its line {lines[different[0]]}")
    print(f"{what}: {len(lines)} lines")


def labels_of(path):
    """The labels of a PCF file: (type, title) and (type, value, label)."""
    titles, labels, current, in_values = set(), Counter(), None, False
    for line in path.read_text().splitlines():
        number = re.match(r"-?\d+", line)
        if line.startswith("EVENT_TYPE"):
            current, in_values = [], False
        elif current is None:
            continue
        elif line.startswith("VALUES"):
            in_values = True
        elif in_values and number:
            label = line[max(number.end(), 4) + 1:]  # numbers are 4 wide, and cut to 32 bits
            labels.update((kind, int(number[0]), label) for kind in current)
        elif not in_values and line.startswith("0 "):
            _, kind, title = line.split(None, 2)
            current.append(int(kind))
            titles.add((int(kind), title))
    return titles, labels


# The PCF of the reference has no titles of these.
UNTITLED = {"cpu": {(1, "CPU: PID of the RUNNING thread"), (2, "CPU: TID of the RUNNING thread"),
                    (3, "CPU: Number of RUNNING threads")}}


def compare_labels(file, directory, name):
    titles, labels = labels_of(directory / f"{name}.pcf")
    mine = {(int(t["type"]), t["title"].decode()) for t in file["types"][:] if t["file"].decode() == name}
    titles |= UNTITLED.get(name, set())
    if mine != titles:
        fail(f"{name}: types {mine ^ titles}")
    mine = Counter((int(l["type"]), int(l["value"].astype(numpy.int32)), l["label"].decode()) for l in file["labels"][:]
                   if l["file"].decode() == name)
    if mine != labels:
        fail(f"{name}: labels {(mine - labels) or (labels - mine)}")


def compare_rows(file, directory, name, table):
    rows = [label.decode() for label in file[table]["label"]]
    expected = (directory / f"{name}.row").read_text().split("\n", 1)
    listed = [line for line in expected[1].splitlines() if line] if len(expected) > 1 else []
    if listed[-len(rows):] != rows and rows:
        fail(f"{name}: rows {rows[:3]}... are not those of the .row file")


def content(file):
    found = {}

    def take(name, item):
        found[name] = {key: value for key, value in item.attrs.items()}
        if isinstance(item, h5py.Dataset):
            found[name]["<rows>"] = item[:].tobytes()
            found[name]["<type>"] = str(item.dtype)
            found[name]["<chunks>"] = item.chunks
    file.visititems(take)
    found["/"] = {key: value for key, value in file.attrs.items()}
    return found


def main():
    file = h5py.File(sys.argv[1], "r")
    directory = Path(sys.argv[2])
    for name, table in (("thread", "rows/threads"), ("cpu", "rows/cpus")):
        header, lines = from_prv(directory / f"{name}.prv")
        compare(name, from_channels(file, name), lines)
        if int(header.split("_ns")[0].rsplit(":", 1)[1]) != file.attrs["duration"]:
            fail(f"{name}: the duration is {file.attrs['duration']}")
        compare_labels(file, directory, name)
        compare_rows(file, directory, name, table)
    compare_messages(file, directory / "thread.prv")
    for name in file.get("breakdowns", {}):
        compare(name, from_breakdown(file, name), from_prv(directory / f"{name}.prv")[1])
        compare_rows(file, directory, name, f"rows/{name}")
    if len(sys.argv) > 3:
        mine, other = content(file), content(h5py.File(sys.argv[3], "r"))
        for name in mine.keys() | other.keys():
            if mine.get(name) != other.get(name):
                fail(f"{name} differs from that of {sys.argv[3]}")


main()
