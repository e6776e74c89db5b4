"""The case writer: what emitting an event costs the program, against reading a clock and storing, and other tracers."""
import contextlib
import json
import os
import re
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lttng import Lttng
from measure import BenchError, LONGEST, take_notes

FLOORS = ["rdtsc", "rdtscp", "clock_gettime", "store-12", "store-28"]
OURS = ["emit-0", "emit-16", "api-0", "api-16"]
OTF2 = ["otf2-clock_gettime", "otf2-rdtsc"]
QUANTILES = ["50", "90", "99", "99.9", "99.99", "max"]
# Goals: times the store of 12 bytes, times its longest, ns of all processes, ns above clock_gettime.
TIMES_STORE, TIMES_LONGEST, TOTAL_NS, API_NS = 1.15, 2, 20, 6


@dataclass(frozen=True)
class Subject:
    """A program that emits. hosting: who drains, None if the library has no part in it."""
    variant: str
    hosting: str = None
    program: str = "writer-bench"

    @property
    def name(self):
        return f"{self.variant}, {self.hosting}" if self.hosting else self.variant


@dataclass(frozen=True)
class Measurement:
    """A command of the programs in tests/bench/writer. `tree`: measured from outside, with all its processes."""
    name: str
    words: tuple
    tree: bool = False


def measurements(scale):
    def of(name, command, threads, events, *words, **more):
        return Measurement(name, (command, "--threads", threads, "--events", events // scale, *words), **more)

    result = []
    for threads in (1, 2):
        result.append(of(f"tight {threads}", "rate", threads, 1_000_000))
        result.append(of(f"work {threads}", "rate", threads, 50_000, "--slices", 10, "--loop", "work"))
    # The longest is looked for where slices of 1 ms of both kinds see the same disturbances.
    result.append(of("latency", "latency", 1, 1_000_000, "--slices", 10))
    result.append(of("total", "total", 2, 4_000_000, tree=True))
    result.append(of("nothing", "total", 2, 0, tree=True))
    return result


def wanted(subject, measurement):
    """Floors have nothing to drain, and of LTTng the daemons are not in the tree."""
    if measurement.tree:
        return subject.variant in OURS + OTF2
    return measurement.name != "latency" or subject.variant not in ("rdtsc", "rdtscp", "ovni-clock")


class Runner:
    """Runs one measurement after the other in one place and keeps what they print, by subject and name."""

    def __init__(self, workshop, folder, lttng):
        self.programs, self.folder, self.lttng = workshop.programs, folder, lttng
        self.results = {}
        self.emitted, self.missing, self.disordered = {}, {}, {}

    def run(self, subject, measurement):
        command, *options = map(str, measurement.words)
        out = self.folder / "out"
        words = [self.programs.need(subject.program), command, subject.variant, *options]
        if subject.hosting and subject.hosting != "plain":
            words = [self.programs.need("ovnirun"), *words]
        note = self.folder / "note"
        if measurement.tree:
            words = [self.programs.need("measure"), str(note), *words]
        with tempfile.TemporaryDirectory(dir=self.folder) as directory:
            out = Path(directory) / "trace"
            recording = self.lttng.session(out) if subject.variant == "lttng" else contextlib.nullcontext()
            with recording:
                lines = self._lines(words, self._environment(subject, out))
            if subject.hosting and subject.variant in OURS:
                self._count(subject.hosting, out, lines[-1]["emitted"])
        lines[-1]["notes"] = take_notes(note)
        self.results.setdefault((subject, measurement.name), []).append(lines)

    def _environment(self, subject, out):
        clean = {name: value for name, value in self.programs.environment.items() if not name.startswith("OVNI_")}
        clean["OVNI_TRACEDIR"] = str(out)
        if subject.hosting == "shared":
            clean["OVNI_BUFFER_MODE"] = "shared"
        return {**clean, **self.lttng.environment} if subject.variant == "lttng" else clean

    def _lines(self, words, environment):
        try:
            done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise BenchError(f"still not done after {LONGEST} s: {' '.join(words)}") from None
        if done.returncode != 0:
            raise BenchError(f"status {done.returncode} of {' '.join(words)}\n{done.stderr[-1000:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _count(self, hosting, out, emitted):
        found = self._lines([self.programs.need("writer-bench"), "count", str(out)], self.programs.environment)[0]
        for sums, value in ((self.emitted, emitted), (self.missing, emitted - found["events"]), (self.disordered, found["out_of_order"])):
            sums[hosting] = sums.get(hosting, 0) + value

    # Medians over all rounds

    def slices(self, subject, name):
        return [line for lines in self.results.get((subject, name), []) for line in lines if "cpu" in line]

    def median(self, subject, name, figure):
        """The median of a figure of a slice, None if the slice was not run."""
        values = [figure(line) for line in self.slices(subject, name)]
        return statistics.median(values) if values else None

    def ratio(self, subject, other, name):
        """The ratio of the CPU per event of two subjects, within each round."""
        pairs = zip(self.results[subject, name], self.results[other, name])
        return statistics.median(self._mean_cpu(one) / self._mean_cpu(two) for one, two in pairs)

    @staticmethod
    def _mean_cpu(lines):
        return statistics.median(line["cpu"] for line in lines if "cpu" in line)

    def spread(self, subject, name):
        values = [line["cpu"] for line in self.slices(subject, name)]
        return f"{(max(values) - min(values)) / statistics.median(values):.0%}" if values else None

    def quantile(self, subject, of, quantile):
        values = [line[quantile] for lines in self.results.get((subject, "latency"), []) for line in lines if line.get("of") == of]
        return statistics.median(values) if values else None

    def per_event(self, subject, seconds):
        """ns per event of all processes together, without what they take for no event. seconds: of a note."""
        pairs = zip(self.results[subject, "total"], self.results[subject, "nothing"])
        return statistics.median(1e9 * (seconds(full[-1]["notes"][0]) - seconds(empty[-1]["notes"][0])) / full[-1]["emitted"]
                                 for full, empty in pairs)


def cpu(line):
    return line["cpu"]


def times_base(line):
    return line["cpu"] / line["base_cpu"]


def above_base(line):
    return line["cpu"] - line["base_cpu"]


# ---- who takes part

def hostings(workshop, report):
    result = ["plain"]
    if not workshop.programs.path("ovnirun"):
        report.note("no ovnirun: only a plain process")
        return result
    result.append("ovnirun")
    if workshop.programs.has_option("ovnirun", "--buffer-mode"):
        result.append("shared")
    else:
        report.note("ovnirun has no --buffer-mode yet: a buffer that threads share is skipped")
    return result


def subjects(workshop, report):
    result = [Subject(variant) for variant in FLOORS] + [Subject("ovni-clock", "plain")]
    result += [Subject(variant, hosting) for hosting in hostings(workshop, report) for variant in OURS]
    if not (workshop.programs.path("writer-bench-lttng") and Lttng.is_installed()):
        report.note("LTTng-UST is skipped, it needs the packages liblttng-ust-dev and lttng-tools")
    else:
        result.append(Subject("lttng", program="writer-bench-lttng"))
    if not workshop.programs.path("writer-bench-otf2"):
        report.note("OTF2 is skipped, it needs the package libotf2-trace-dev")
    else:
        result += [Subject(variant, program="writer-bench-otf2") for variant in OTF2]
    only = workshop.options.only
    return [subject for subject in result if not only or re.search(only, subject.name)]


# ---- the case

def writer(workshop, report):
    if not workshop.programs.path("writer-bench"):
        report.heading("writer")
        report.note("skipped: for x86-64 only")
        return
    for place in filter(None, (workshop.folder, workshop.options.disk)):
        report.heading(f"writer: trace in {place}")
        with tempfile.TemporaryDirectory(prefix="ovni-bench-", dir=place) as folder:
            writer_in(workshop, report, Path(folder))


def writer_in(workshop, report, folder):
    taking_part = subjects(workshop, report)
    plan = [(subject, measurement) for measurement in measurements(workshop.scale) for subject in taking_part if wanted(subject, measurement)]
    with contextlib.ExitStack() as stack:
        lttng = stack.enter_context(Lttng(folder)) if any(s.variant == "lttng" for s in taking_part) else None
        runner = Runner(workshop, folder, lttng)
        before = os.getloadavg()[0]
        for _ in range(workshop.options.writer_runs):
            for subject, measurement in plan:
                if subject in taking_part:
                    run_or_drop(report, runner, taking_part, subject, measurement)
    report.note(f"medians of {workshop.options.writer_runs} rounds, load {before:.2f} before and {os.getloadavg()[0]:.2f} after")
    rates(report, runner, taking_part)
    shared_against_rings(report, runner, taking_part)
    latencies(report, runner, taking_part)
    totals(report, runner, taking_part)
    goals(report, runner, taking_part)
    for (subject, name), rounds in runner.results.items():
        report.keep("writer", subject.name, place=str(folder.parent), measurement=name, rounds=rounds)


def run_or_drop(report, runner, taking_part, subject, measurement):
    try:
        runner.run(subject, measurement)
    except BenchError as error:  # the others may do
        report.failed("writer", f"{subject.name}: {error}")
        taking_part.remove(subject)


def rates(report, runner, taking_part):
    rows = []
    for subject in taking_part:
        row = [subject.name]
        for name in ("tight 1", "tight 2"):
            row += [runner.median(subject, name, figure) for figure in (cpu, times_base)]
        row += [runner.median(subject, name, above_base) for name in ("work 1", "work 2")]
        rows.append(row + [runner.median(subject, "tight 1", lambda line: line["wall"]), runner.spread(subject, "tight 1")])
    report.table(["ns of CPU per event", "1 thread", "x store", "2 threads", "x store", "in work", "2 threads", "wall", "spread"], rows)
    report.note("x store: times rdtsc and a store of as many bytes, 12 or 28, in the same process; in work: added to 0.2 us of a stencil")
    shares = [line["base_cpu"] / line["base_wall"] for s in taking_part for line in runner.slices(s, "tight 1")]
    if shares and (share := statistics.median(shares)) < 0.95:
        report.note(f"the store loop had its CPU for {share:.0%} of the time: others ran, too")


def shared_against_rings(report, runner, taking_part):
    """One buffer for all threads of the process, times a buffer per thread: medians of the quotients within a round."""
    rows = []
    for variant in OURS:
        shared, rings = Subject(variant, "shared"), Subject(variant, "ovnirun")
        if shared not in taking_part or rings not in taking_part:
            continue
        row = [variant]
        for name in ("tight 1", "tight 2", "work 1", "work 2"):
            row.append(runner.ratio(shared, rings, name))
        total = [runner.per_event(subject, lambda note: note["user"] + note["sys"]) for subject in (rings, shared)]
        rows.append(row + [*total, total[1] / total[0]])
    if rows:
        report.table(["shared buffer, times the rings", "1 thread", "2 threads", "in work", "2 threads", "rings: u+s of all, ns", "shared", "ratio"], rows)
        report.note("both below ovnirun in the same round; in work: with the work; u+s: 2 threads and the drainer, ns per event")


def latencies(report, runner, taking_part):
    rows = []
    for subject in taking_part:
        if (subject, "latency") in runner.results:
            base = runner.quantile(subject, "base", "max")
            row = [runner.quantile(subject, "variant", quantile) for quantile in QUANTILES]
            rows.append([subject.name, *row, base, row[-1] / base])
    report.table(["latency of an event, ns", *QUANTILES, "store's max", "ratio"], rows)
    report.note("with reading the TSC around it; max: the median of the longest of each run, store's max: in the same process")


def totals(report, runner, taking_part):
    rows = []
    for subject in taking_part:
        if (subject, "total") in runner.results:
            rows.append([subject.name, runner.per_event(subject, lambda note: note["user"] + note["sys"]),
                         runner.per_event(subject, lambda note: note["user"]), runner.per_event(subject, lambda note: note["sys"]),
                         runner.per_event(subject, lambda note: note["wall"])])
    report.table(["all processes, 2 threads, ns per event", "u+s", "user", "sys", "wall"], rows)


def goals(report, runner, taking_part):
    monotonic = runner.median(Subject("clock_gettime"), "tight 1", cpu)
    for hosting in dict.fromkeys(s.hosting for s in taking_part if s.variant in OURS):
        emit, api = Subject("emit-0", hosting), Subject("api-0", hosting)
        has_goals = hosting != "shared"  # a buffer that threads share is there to be compared, not to be fast
        if emit in taking_part and has_goals:
            times = runner.median(emit, "tight 1", times_base)
            report.goal("writer", f"{hosting}: emit.hpp against rdtsc and store at most", f"{times:.2f}", TIMES_STORE, times <= TIMES_STORE)
            times = runner.quantile(emit, "variant", "max") / runner.quantile(emit, "base", "max")
            report.goal("writer", f"{hosting}: longest against the store's at most", f"{times:.2f}", TIMES_LONGEST, times <= TIMES_LONGEST)
            total = runner.per_event(emit, lambda note: note["user"] + note["sys"])
            report.goal("writer", f"{hosting}: all CPU with the drainer, ns per event below", f"{total:.1f}", TOTAL_NS, total < TOTAL_NS)
        if api in taking_part and has_goals and monotonic is not None:
            above = runner.median(api, "tight 1", cpu) - monotonic
            report.goal("writer", f"{hosting}: C API above clock_gettime, ns at most", f"{above:.1f}", API_NS, above <= API_NS)
        complete = runner.missing[hosting] == 0 and runner.disordered[hosting] == 0
        lost = f"{runner.missing[hosting]} of {runner.emitted[hosting]} ({runner.disordered[hosting]} out of order)"
        report.goal("writer", f"{hosting}: events lost", lost, 0, complete)
        if not complete:
            report.failed("writer", f"{hosting}: events lost: {lost}")
