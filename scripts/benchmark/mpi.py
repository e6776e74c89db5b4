"""The case mpi: what recording a call of MPI costs, against the same call unrecorded and the events that it leaves."""
import statistics
import subprocess
import tempfile

from measure import BenchError, LONGEST

TIMES_EVENTS = 2.5  # asked for: what a call costs more, against its events alone
# In a round trip every rank makes two calls, and each waits for those of the other.
CALLS_IN_SERIES = {"iprobe": 1, "ping-pong": 2}


def mpi(workshop, report):
    report.heading("recording of MPI calls, 2 ranks, ns per call (medians)")
    if not workshop.programs.path("mpi-calls"):
        report.note("not built with MPI")
        return
    runs = [one_run(workshop) for _ in range(workshop.options.runs)]
    rows = []
    for loop, in_series in CALLS_IN_SERIES.items():
        recorded, plain, events = (statistics.median(run[loop][i] for run in runs) for i in range(3))
        added = statistics.median((run[loop][0] - run[loop][1]) / in_series for run in runs)
        times = statistics.median((run[loop][0] - run[loop][1]) / in_series / run[loop][2] for run in runs)
        rows.append([loop, recorded, plain, added, events, times])
        report.keep("mpi", loop, recorded=recorded, plain=plain, added=added, events=events, times=times)
    report.table(["loop", "recorded", "unrecorded", "added", "its events alone", "times"], rows)
    report.note("added: per call on the way of the message; of a round trip those of both ranks count")
    for loop, *_, times in rows:
        report.goal("mpi", f"{loop}: added, in times the events, at most", f"{times:.2f}", TIMES_EVENTS, times <= TIMES_EVENTS)


def one_run(workshop):
    programs = workshop.programs
    batches = "11" if workshop.options.quick else "101"
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        words = ["mpirun", "-n", "2", programs.need("ovnirun"), "-o", f"{folder}/ovni", programs.need("mpi-calls"), batches]
        done = subprocess.run(words, env=programs.environment, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"mpi-calls: {done.stderr.strip()[-300:]}")
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: [float(value) for value in line[1:]] for line in lines if line and line[0] in CALLS_IN_SERIES}
