"""The case openmp: what recording adds to an empty parallel region, a barrier and a task."""
import statistics
import subprocess
import tempfile

from measure import BenchError, LONGEST

CONSTRUCTS = ("region", "barrier", "task")
MODES = {"libgomp": "auto", "libomp": "libomp"}


def openmp(workshop, report):
    program = workshop.programs.path("openmp-constructs")
    report.heading("OpenMP, 2 threads, ns per construct (medians), and times the same without recording")
    if not program:
        report.note("not built: the compiler has no OpenMP")
        return
    libomp = libomp_path(workshop)
    for name, mode in MODES.items():
        if mode == "libomp" and not libomp:
            report.note("there is no libomp: skipped")
            continue
        runs = {"plain": [], "recorded": []}
        for _ in range(workshop.options.runs):
            runs["plain"].append(one_run(workshop, [program], libomp if mode == "libomp" else ""))
            runs["recorded"].append(recorded(workshop, program, mode))
        compare(report, name, runs)


def compare(report, name, runs):
    rows = []
    for construct in CONSTRUCTS:
        plain, traced = ([run[construct] for run in runs[how]] for how in ("plain", "recorded"))
        ratio = statistics.median(t / p for t, p in zip(traced, plain))
        rows.append([f"{name}: {construct}", statistics.median(plain), statistics.median(traced), ratio])
        report.keep("openmp", f"{name}, {construct}", plain=rows[-1][1], recorded=rows[-1][2], ratio=ratio)
    report.table(["construct", "plain", "recorded", "times"], rows)


def libomp_path(workshop):
    """The one that ovnirun finds; empty if there is none."""
    words = [workshop.programs.need("ovnirun"), "--openmp", "libomp", "sh", "-c", "echo $LD_PRELOAD"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, env=workshop.programs.environment, capture_output=True, text=True, timeout=LONGEST, cwd=folder)
    return next((path for path in done.stdout.strip().split(":") if "libomp.so" in path), "")


def recorded(workshop, program, mode):
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        return one_run(workshop, [workshop.programs.need("ovnirun"), "-o", f"{folder}/ovni", "--openmp", mode, program])


def one_run(workshop, words, preload=""):
    environment = dict(workshop.programs.environment, OMP_NUM_THREADS="2", LD_PRELOAD=preload)
    batches = "11" if workshop.options.quick else "101"
    done = subprocess.run([*words, batches], env=environment, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"openmp-constructs: {done.stderr.strip()[-300:]}")
    return {name: float(ns) for name, ns in (line.split() for line in done.stdout.splitlines())}
