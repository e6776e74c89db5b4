"""Ranks of the rows of a PRV file whose names have none: from the streams beside it, else from a report there."""
import json
import re
from collections import defaultdict
from pathlib import Path


def with_ranks(labels, directory, duration):
    """The labels with rank and loom in front, row by row, where the streams or the report leave no doubt."""
    named = from_streams(labels, read_streams(directory))
    if named == labels:
        named = from_report(labels, read_report(directory), duration)
    return named


def read_streams(directory):
    """(loom, tid, app, rank) of every stream that says so; app and rank as the process says in any stream."""
    streams, processes = [], {}
    for path in sorted(Path(directory).glob("loom.*/proc.*/thread.*/stream.json")):
        try:
            ovni = json.loads(path.read_text())["ovni"]
            process = processes.setdefault((ovni["loom"], ovni["pid"]), {})
            process.update({key: ovni[key] for key in ("app_id", "rank") if key in ovni})
            streams.append((ovni["loom"], ovni["tid"], process))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return [(loom, tid, p["app_id"], p["rank"]) for loom, tid, p in streams if "app_id" in p and "rank" in p]


def from_streams(labels, streams):
    """Rows and streams are paired by application and thread; where several have the same numbers, as in containers, by their order."""
    first = {}
    for loom, _, _, rank in streams:
        first[loom] = min(rank, first.get(loom, rank))
    rows_of, streams_of = defaultdict(list), defaultdict(list)
    for row, label in enumerate(labels):
        if match := re.match(r"TH (\d+)\.(\d+)( |$)", label):
            rows_of[int(match[1]), int(match[2])].append(row)
    # The order of rows: looms by lowest rank, processes by rank, threads by tid.
    for loom, tid, app, rank in sorted(streams, key=lambda s: (first[s[0]], s[0], s[3], s[1])):
        streams_of[app, tid].append((rank, loom))
    named = list(labels)
    for key, rows in rows_of.items():
        if len(rows) == len(streams_of[key]):
            for row, (rank, loom) in zip(rows, streams_of[key]):
                named[row] = f"rank {rank} {loom} {labels[row]}"
    return named


def read_report(directory):
    try:
        return json.loads((Path(directory) / "report.json").read_text())
    except (OSError, ValueError):
        return {}


def from_report(labels, report, duration):
    """Its processes are in the order of rows."""
    try:
        rows = [p for p in report["processes"] for _ in range(p["threads"])]
        if report["trace"]["duration"] != duration or len(rows) != len(labels):
            return labels
        pairs = list(zip(labels, rows))
        if any(not label.startswith(f"TH {p['application']}.") for label, p in pairs):
            return labels
        return [label if p.get("rank") is None or p["rank"] < 0 else f"rank {p['rank']} {p['loom']} {label}" for label, p in pairs]
    except (KeyError, TypeError):
        return labels
