"""The case regions: what the gate of recording costs an event, and a controller that waits a call of MPI."""
import json
import statistics
import subprocess

from measure import BenchError, LONGEST
from mpi import families_of, one_run

GATE_NS = 0.5  # asked for: the gate alone, per event
EVENTS_OF_BATCH = 20_000  # of micro-gate
# Chains whose alarms never come: recording is on, or off, all the time.
CHAINS = {"no chains": None, "armed, on": "stop:pcontrol:never", "armed, off": "start:pcontrol:never"}


def regions(workshop, report):
    events(workshop, report)
    calls(workshop, report)


def events(workshop, report):
    report.heading("the gate, ns per event (medians)")
    program = workshop.programs.path("micro-gate")
    if not program:
        report.note("not built: Google Benchmark is not there")
        return
    repetitions = 1 if workshop.options.quick else max(workshop.options.runs, 5)
    words = [program, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}"]
    done = subprocess.run(words, env=workshop.programs.environment, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"micro-gate: {done.stderr.strip()[-300:]}")
    times = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            times.setdefault(run["run_name"], []).append(run["cpu_time"] / EVENTS_OF_BATCH)
    medians = {name: statistics.median(values) for name, values in times.items()}
    limit = medians["limit/count_and_store"]
    report.table(["event", "ns", "times the limit"], [[name, time, time / limit] for name, time in medians.items()])
    report.note("limit: a counter read and a store; followed: states are kept, to be closed and opened again; off: dropped")
    for name, time in medians.items():
        report.keep("regions", name, ns=time)
    for mode in ("on", "on_followed"):
        added = medians[f"{mode}/plain"] - medians["no_gate/plain"]
        report.goal("regions", f"{mode}: the gate alone, ns, at most", f"{added:.2f}", GATE_NS, added <= GATE_NS)


def calls(workshop, report):
    report.heading("a controller that waits, 2 ranks, ns per call of MPI (medians)")
    families = families_of(workshop, report)
    if not families:
        return
    runs = {name: [] for name in CHAINS}
    for _ in range(workshop.options.runs):
        for name, chain in CHAINS.items():
            runs[name].append(one_run(workshop, families[0], ["--control", chain] if chain else []))
    rows = []
    for name, figures in runs.items():
        row = {loop: statistics.median(run[loop][0] for run in figures) for loop in ("iprobe", "ping-pong")}
        rows.append([name, *row.values()])
        report.keep("regions", name, **row)
    report.table(["chains", "iprobe", "ping-pong"], rows)
