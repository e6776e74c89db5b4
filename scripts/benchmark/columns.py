"""The case columns: columns in HDF5 beside Paraver's text, from the same records in memory."""
import statistics
import subprocess

from measure import BenchError, LONGEST
from traces import Shape

SMALLER = 5  # asked for: at most a fifth of the size, and no slower
EVENTS = 16_000_000


def columns(workshop, report):
    shape = Shape(8, 64, EVENTS // workshop.scale, "mix")
    report.heading(f"columns: {shape.name} (mix, streams, events), records in memory to each output")
    with workshop.trace(shape) as trace, workshop.fresh("outputs") as outputs:
        words = [workshop.programs.need("sinks"), trace.path, outputs, workshop.options.runs]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"sinks: {done.stderr.strip()[-300:]}")
    runs = {}
    for line in done.stdout.splitlines():
        name, _, wall, cpu, size = line.split()
        runs.setdefault(name, []).append((float(wall), float(cpu), int(size)))
    records = runs.pop("records")[0][2]
    medians = {name: [statistics.median(column) for column in zip(*figures)] for name, figures in runs.items()}
    prv = medians["prv"]
    rows = []
    for name, (wall, cpu, size) in medians.items():
        rows.append([name, wall, cpu, wall / prv[0], cpu / prv[1], size / 1e6, prv[2] / size, prv[2] / wall / 1e6, size / records])
        report.keep("columns", name, wall=wall, cpu=cpu, bytes=size, records=records)
    report.table(["output", "wall s", "cpu s", "x wall", "x cpu", "MB", "x smaller", "MB of text/s", "bytes/record"], rows)
    wall, _, size = medians["columns"]
    report.goal("columns", "times as long as text, at most", f"{wall / prv[0]:.2f}", 1, wall <= prv[0])
    report.goal("columns", "times smaller than text, at least", f"{prv[2] / size:.1f}", SMALLER, prv[2] / size >= SMALLER)
