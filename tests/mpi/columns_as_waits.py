#!/usr/bin/python3
"""columns_as_waits.py FILE.h5 WAITS.txt REPORT.json: compares the waits and collectives of the columns with the tables that
`ovnitop --waits` has printed, and with a report. Prints what differs, status 1; else how many there are."""
import json
import re
import sys
from collections import Counter

import h5py

file, tables, report = h5py.File(sys.argv[1]), open(sys.argv[2]).read(), json.load(open(sys.argv[3]))
names = {(int(l["type"]), int(l["value"])): l["label"].decode() for l in file["labels"][:] if l["file"] == b"thread"}
processes = {i: int(t["process"]) for i, t in enumerate(file["rows/threads"][:])} | {-1: None}


def fail(what):
    sys.exit(f"columns_as_waits: {what}")


times, spent, by_process = Counter(), Counter(), Counter()
for row in file["waits"][:]:
    key = names[320, row["wait"]], names[25, row["function"]]
    times[key] += 1
    spent[key] += int(row["waited"])
    by_process[(*key, processes[int(row["thread"])], processes[int(row["cause"])])] += int(row["waited"])
    if not row["time"] < row["end"] or row["waited"] != row["end"] - row["time"]:
        fail(f"a wait of no length: {row}")

printed = re.findall(r"^ +(\S+) +\S+ +\S+ +(\d+)  (\S.*?) +(MPI_\w+)$", tables, re.M)
rows = {(kind, function): (int(count), seconds) for seconds, count, kind, function in printed}
mine = {key: (times[key], f"{spent[key] * 1e-9:.6f}") for key in times}
if rows != mine:
    fail(f"columns say {mine}, ovnitop says {rows}")
sums = {(s["wait"], s["function"], s["process"], s["cause"]): s["ns"] for s in report["waits"]["sums"]}
if sums != by_process:
    fail(f"columns say {by_process}, the report says {sums}")

members = Counter((int(row["communicator"]), int(row["scope"]), int(row["turn"])) for row in file["collectives"][:])
if len(members) != report["collectives"]["matched"]:
    fail(f"{len(members)} collectives, the report has {report['collectives']['matched']}")
for row in file["collectives"][:]:
    if members[int(row["communicator"]), int(row["scope"]), int(row["turn"])] != row["members"]:
        fail(f"members are missing: {row}")
print(f"{sum(times.values())} waits, {len(members)} collectives of {sum(members.values())} members")
