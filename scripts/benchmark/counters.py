"""The case counters: what a border costs at which counters are read, against a bare read() of the same counters."""
import statistics
import subprocess
import tempfile

from measure import BenchError, LONGEST

LISTS = ["none", "task-clock", "page-faults,context-switches", "software"]
TIMES_READ = 1.5  # asked for: what a border costs more, against the read alone


def counters(workshop, report):
    report.heading("counters at borders, 1 thread, ns per mark (medians)")
    runs = [{name: one_run(workshop, name) for name in LISTS} for _ in range(workshop.options.runs)]
    rows = []
    for name in LISTS:
        mark, read = (statistics.median(run[name][i] for run in runs) for i in range(2))
        added = statistics.median(run[name][0] - run["none"][0] for run in runs)
        times = statistics.median((run[name][0] - run["none"][0]) / run[name][1] for run in runs) if read else None
        rows.append([name, mark, added, read or None, times])
        report.keep("counters", name, mark=mark, added=added, read=read, times=times)
    report.table(["counters", "a mark", "added", "a bare read()", "times"], rows)
    for name, *_, times in rows:
        if times is not None:
            report.goal("counters", f"{name}: added, in times the read, at most", f"{times:.2f}", TIMES_READ, times <= TIMES_READ)


def one_run(workshop, name):
    programs = workshop.programs
    batches = "101" if workshop.options.quick else "2001"
    chosen = [] if name == "none" else ["--counters", name]
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        words = [programs.need("ovnirun"), "-o", f"{folder}/ovni", *chosen, programs.need("counter-borders"), name, batches]
        done = subprocess.run(words, env=programs.environment, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0 or done.stderr:
        raise BenchError(f"counter-borders: {done.stderr.strip()[-300:]}")
    return [float(value) for value in done.stdout.split()]
