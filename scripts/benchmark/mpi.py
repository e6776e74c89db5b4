"""The case mpi: what recording a call of MPI costs, against the same call unrecorded and the events that it leaves."""
import statistics
import subprocess
import tempfile

from measure import BenchError, LONGEST

TIMES_EVENTS = 2.5  # asked for: what a call costs more, against its events alone
# In a round trip every rank makes two calls, and each waits for those of the other.
CALLS_IN_SERIES = {"iprobe": 1, "ping-pong": 2}
MOST_FOR_SITE = 8  # ns, asked for: what it costs to know where a call comes from
SITE_LOOPS = ["iprobe", "two-sites"]


def mpi(workshop, report):
    report.heading("recording of MPI calls, 2 ranks, ns per call (medians)")
    families = families_of(workshop, report)
    if not families:
        return
    # They take turns.
    runs = [{family: one_run(workshop, family) for family in families} for _ in range(workshop.options.runs)]
    rows = []
    for family in families:
        for loop, in_series in CALLS_IN_SERIES.items():
            times_of = [run[family][loop] for run in runs]
            recorded, plain, events = map(statistics.median, zip(*times_of))
            added = statistics.median((recorded - plain) / in_series for recorded, plain, _ in times_of)
            times = statistics.median((recorded - plain) / in_series / events for recorded, plain, events in times_of)
            rows.append([family, loop, recorded, plain, added, events, times])
            report.keep("mpi", loop, family=family, recorded=recorded, plain=plain, added=added, events=events, times=times)
    report.table(["MPI", "loop", "recorded", "unrecorded", "added", "its events alone", "times"], rows)
    report.note("added: per call on the way of the message; of a round trip those of both ranks count")
    for family, loop, *_, times in rows:
        report.goal("mpi", f"{family}, {loop}: added, in times the events, at most", f"{times:.2f}", TIMES_EVENTS,
                    times <= TIMES_EVENTS)


def families_of(workshop, report):
    families = list(workshop.programs.of_families("mpi-calls"))
    if not families:
        report.note("not built with MPI")
    return families


def callsites(workshop, report):
    report.heading("call sites of MPI calls, 2 ranks, ns per call (medians)")
    families = families_of(workshop, report)
    if not families:
        return
    levels = ["0", "1"]
    rounds = [{level: one_run(workshop, families[0], ["--callsites", level]) for level in levels} for _ in range(workshop.options.runs)]
    rows = []
    for loop in SITE_LOOPS:
        added = {level: statistics.median(run[level][loop][0] - run[level][loop][1] for run in rounds) for level in levels}
        of_site = statistics.median(
            (run["1"][loop][0] - run["1"][loop][1]) - (run["0"][loop][0] - run["0"][loop][1]) for run in rounds)
        rows.append([loop, added["0"], added["1"], of_site])
        report.keep("callsites", loop, without=added["0"], with_sites=added["1"], of_site=of_site)
    report.table(["loop", "added without", "added with", "of the site"], rows)
    report.note("iprobe: all calls from one place; two-sites: each call from another place than the one before")
    for loop, *_, of_site in rows:
        report.goal("callsites", f"{loop}: ns for the site, at most", f"{of_site:.1f}", MOST_FOR_SITE, of_site <= MOST_FOR_SITE)


def one_run(workshop, family, options=()):
    programs = workshop.programs
    batches = "11" if workshop.options.quick else "101"
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        words = [programs.launcher(family), "-n", "2", programs.need("ovnirun"), "-o", f"{folder}/ovni", *options,
                 programs.of_families("mpi-calls")[family], batches]
        done = subprocess.run(words, env=programs.environment, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"mpi-calls-{family}: {done.stderr.strip()[-300:]}")
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: [float(value) for value in line[1:]] for line in lines if line}
