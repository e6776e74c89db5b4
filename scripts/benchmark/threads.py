"""The case threads: what recording the waits for locks adds to them, beside LTTng's wrapper and EZTrace where installed."""
import glob
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from lttng import Lttng
from measure import BenchError, LONGEST

ADDED_NS = 12  # asked for: an uncontended lock and unlock, with the default
WRAPPER = "liblttng-ust-pthread-wrapper.so*"
EVENTS = "lttng_ust_pthread:*"


def threads(workshop, report):
    program = workshop.programs.need("thread-locks")
    runs = {name: [] for name in ("alone", "off", "contended", "all", *peers(report))}
    for _ in range(workshop.options.runs):
        for name, figures in runs.items():
            figures.append(one_run(workshop, name, program))
    medians = {name: {what: statistics.median(run[what] for run in figures) for what in figures[0]} for name, figures in runs.items()}
    added = {name: statistics.median(run["uncontended"] - alone["uncontended"] for run, alone in zip(figures, runs["alone"]))
             for name, figures in runs.items()}
    report.heading("locks, ns per lock and unlock (medians); contended: both threads hold it for 2000 ns")
    report.table(["tracer", "uncontended", "added to alone", "contended", "times alone"],
                 [[name, of["uncontended"], added[name], of["contended"], of["contended"] / medians["alone"]["contended"]]
                  for name, of in medians.items()])
    for name, of in medians.items():
        report.keep("threads", name, **of, added=added[name])
    report.goal("threads", "--pthread contended, added to an uncontended lock, ns, at most", f"{added['contended']:.2f}", ADDED_NS,
                added["contended"] <= ADDED_NS)


def wrapper():
    folders = ("/usr/lib", "/usr/lib64", "/usr/lib/*-linux-gnu", "/usr/local/lib")
    found = sorted(path for folder in folders for path in glob.glob(f"{folder}/{WRAPPER}"))
    return found[0] if found else None


def peers(report):
    if wrapper() and Lttng.is_installed():
        yield "LTTng"
    else:
        report.note("LTTng's wrapper is not installed: apt-get install liblttng-ust1 lttng-tools")
    if shutil.which("eztrace"):
        yield "EZTrace"
    else:
        report.note("EZTrace is not installed: apt-get install eztrace")


def one_run(workshop, name, program):
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        if name == "LTTng":
            return with_lttng(workshop, program, folder)
        if name == "EZTrace":
            return figures(workshop, ["eztrace", "-t", "pthread", "-o", f"{folder}/trace", program])
        words = [] if name == "alone" else [workshop.programs.need("ovnirun"), "-o", f"{folder}/ovni", "--pthread", name]
        return figures(workshop, [*words, program])


def with_lttng(workshop, program, folder):
    lttng = Lttng(Path(folder))
    # Its own threads take locks, too: if a full buffer blocked them, nobody would empty it.
    del lttng.environment["LTTNG_UST_ALLOW_BLOCKING"]
    with lttng, lttng.session(f"{folder}/trace", EVENTS, when_full=()):
        return figures(workshop, [program], {**lttng.environment, "LD_PRELOAD": wrapper()})


def figures(workshop, words, more=None):
    environment = {**workshop.programs.environment, **(more or {})}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=LONGEST, cwd=os.sep)
    pairs = [line.split() for line in done.stdout.splitlines()]
    found = {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] in ("uncontended", "contended")}
    if done.returncode != 0 or len(found) != 2:
        raise BenchError(f"{' '.join(map(str, words))}: status {done.returncode}, {done.stderr.strip()[-300:]}")
    return found
