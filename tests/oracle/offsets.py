"""The clock offset table: offsets of hosts, given to their looms and so to the streams."""

import math
import os

from errors import Rejected, require


def apply(system, streams, trace, given):
    path = given if given is not None else os.path.join(trace, "clock-offsets.txt")
    if given is not None or os.path.exists(path):
        for host, offset in read(path).items():
            looms = [loom for loom in system.looms if loom.host == host]
            require(looms, f"{path}: no loom of host {host}")
            for loom in looms:
                loom.offset = offset
    for stream in streams:
        if stream.thread is not None:
            stream.offset = stream.thread.process.loom.offset


def read(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise Rejected(f"{path}: {error.strerror}") from None
    table = {}
    for line in lines[1:]:
        fields = line.split()
        if not fields:
            continue
        try:
            int(fields[0])
            host, median = fields[1], float(fields[2])
            float(fields[3]), float(fields[4])
            offset = math.trunc(median)
        except (ValueError, IndexError, OverflowError):
            raise Rejected(f"{path}: cannot read '{line}'") from None
        require(host not in table, f"{path}: host {host} twice")
        table[host] = offset
    require(table, f"{path}: no entries")
    return table
