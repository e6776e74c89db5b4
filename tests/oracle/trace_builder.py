"""Small traces on disk for the tests of the oracle."""

import json
import os
import struct


def event(mcv, clock, payload=b""):
    code = len(payload) - 1 if payload else 0
    return struct.pack("<B3sQ", code, mcv.encode("latin-1"), clock) + payload


def jumbo(mcv, clock, data):
    return struct.pack("<B3sQI", 0x13, mcv.encode("latin-1"), clock, len(data)) + data


def execute(clock, cpu=0):
    return event("OHx", clock, struct.pack("<iiQ", cpu, -1, 0))


def words(mcv, clock, *values):
    return event(mcv, clock, struct.pack(f"<{len(values)}I", *values))


def task_type(mcv, clock, number, label):
    return jumbo(mcv, clock, struct.pack("<I", number) + label.encode() + b"\0")


def mark(mcv, clock, value, number):
    return event(mcv, clock, struct.pack("<qi", value, number))


class TraceBuilder:
    def __init__(self, folder):
        self.folder = folder

    def stream(self, *events, tid=1, pid=1, loom="node.1", cpus=(0, 1), require=None, meta=None, **ovni):
        """Members of `ovni` replace or (None) remove those of a sound stream."""
        members = {
            "lib": {"version": "1.14.0", "commit": "unknown"},
            "part": "thread",
            "tid": tid,
            "pid": pid,
            "loom": loom,
            "app_id": 1,
            "require": {"ovni": "1.1.0"} | (require or {}),
            "loom_cpus": [{"index": index, "phyid": phyid} for index, phyid in enumerate(cpus)],
            "finished": 1,
        }
        members = {key: value for key, value in (members | ovni).items() if value is not None}
        folder = os.path.join(self.folder, f"loom.{loom}", f"proc.{pid}", f"thread.{tid}")
        os.makedirs(folder)
        with open(os.path.join(folder, "stream.json"), "w", encoding="utf-8") as file:
            json.dump({"version": 3, "ovni": members} | (meta or {}), file)
        with open(os.path.join(folder, "stream.obs"), "wb") as file:
            file.write(b"ovni\x01\0\0\0" + b"".join(events))
        return self

    def offsets(self, *lines):
        with open(os.path.join(self.folder, "clock-offsets.txt"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in ("rank hostname median mean std",) + lines)
        return self
