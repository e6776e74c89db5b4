"""usage: clock_points.py TRACE SKEWS [NODE=COUNT[+][@OFFSET:PPB]]...

Checks that these nodes, and no others, have so many points in ovni.clock (COUNT+: or more), all in one stream,
and that the true offset at each point lies within its bounds. SKEWS are lines of `vcluster skew`. With @, the
clock of the node was set wrong by OVNI_TEST_CLOCK=OFFSET:PPB:0 on top.
"""
import glob
import json
import re
import sys
from fractions import Fraction

trace, skews = sys.argv[1:3]
ahead = {name: int(ns) for name, ns in (line.split() for line in skews.splitlines())}
wanted = dict(argument.split("=") for argument in sys.argv[3:])
found = {}
wrong = []
for path in sorted(glob.glob(trace + "/loom.*/*/*/stream.json")):
    ovni = json.load(open(path))["ovni"]
    if "clock" not in ovni:
        continue
    if ovni["loom"] in found:
        wrong.append(f"{path}: a second stream of {ovni['loom']} with points")
    if ovni["clock"]["reference"] != "node0" or ovni["tid"] != ovni["pid"]:
        wrong.append(f"{path}: reference {ovni['clock']['reference']}, thread {ovni['tid']}")
    found[ovni["loom"]] = ovni["clock"]["points"]
if set(found) != set(wanted):
    wrong.append(f"points of {sorted(found)}, not of {sorted(wanted)}")

for node, points in found.items():
    count, more, offset, ppb = re.fullmatch(r"(\d+)(\+?)(?:@(-?\d+):(-?\d+))?", wanted.get(node, "0+")).groups()
    if len(points) != int(count) and not (more and len(points) > int(count)):
        wrong.append(f"{node}: {len(points)} points, not {count}{more}")
    before = None
    for point in points:
        local = point["local"]
        monotonic = (local - int(offset or 0)) / (1 + Fraction(int(ppb or 0), 10**9))
        truth = monotonic - ahead[node] - local
        if not point["low"] <= truth <= point["high"] or not point["low"] <= point["offset"] <= point["high"]:
            wrong.append(f"{node}: truth {float(truth)} in {point}")
        if before is not None and local <= before:
            wrong.append(f"{node}: {local} behind {before}")
        of_reference = (point["samples"], point["round_trip"], point["method"]) == (0, 0, "reference")
        if of_reference != (node == "node0"):
            wrong.append(f"{node}: {point}")
        before = local
print("\n".join(wrong))
sys.exit(bool(wrong))
