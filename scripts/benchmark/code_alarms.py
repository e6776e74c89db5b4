"""The case code: what alarms on the program's code cost a hit, and what counting instructions costs a program."""
import statistics
import subprocess
import tempfile

from measure import BenchError, LONGEST

FAR = "1000000000000"
# The chains of what is measured: a hit of each kind, and code at which nothing is armed any more.
HITS = {
    "address, armed": f"threadid:address:hit:count{FAR}",
    "begin and end of a function": f"threadid:exit_func:hit:count{FAR}",
    "address, in translated code": f"threadid:address:hit:count{FAR}|threadid:icount:{FAR}",
    "address, fired": "threadid:address:hit",
}
COUNTED = f"threadid:icount:{FAR}"
WORK = ("loops", "sorting", "library", "calls")
HIT_NS, LOOPS, CALLS, FIRED_NS = 2000, 1.5, 5, 1  # asked for


def code_alarms(workshop, report):
    program = workshop.programs.path("code-work")
    if not program:
        report.note("skipped: libovni-code.so could not be built")
        return
    chains = {"none": None, "counted": COUNTED, **HITS}
    runs = {name: [] for name in chains}
    for _ in range(workshop.options.runs):
        for name, chain in chains.items():
            runs[name].append(one_run(workshop, program, chain))
    medians = {name: {work: statistics.median(run[work] for run in figures) for work in figures[0]} for name, figures in runs.items()}
    report.heading("alarms on code, ns per hit (medians)")
    untouched = medians["none"]["hits"]
    report.table(["alarm", "ns", "more than without"], [[name, medians[name]["hits"], medians[name]["hits"] - untouched] for name in HITS])
    report.heading("instructions are counted, times as long as without (medians)")
    ratios = {work: medians["counted"][work] / medians["none"][work] for work in WORK}
    report.table(["work", "times"], [[work, ratio] for work, ratio in ratios.items()])
    for name in HITS:
        report.keep("code", name, ns=medians[name]["hits"])
    for work, ratio in ratios.items():
        report.keep("code", work, times=ratio)
    hit = medians["address, armed"]["hits"] - untouched
    fired = medians["address, fired"]["hits"] - untouched
    report.goal("code", "a hit, ns, at most", f"{hit:.0f}", HIT_NS, hit <= HIT_NS)
    report.goal("code", "code at which nothing is armed, ns more, at most", f"{fired:.2f}", FIRED_NS, fired <= FIRED_NS)
    report.goal("code", "counting in loops, times, at most", f"{ratios['loops']:.2f}", LOOPS, ratios["loops"] <= LOOPS)
    worst = max(ratios.values())
    report.goal("code", "counting in calls, times, at most", f"{worst:.2f}", CALLS, worst <= CALLS)


def one_run(workshop, program, chains):
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        words = [workshop.programs.need("ovnirun"), "-o", f"{folder}/ovni"] if chains else []
        for chain in (chains or "").split("|"):
            words += ["--control", chain] if chain else []
        done = subprocess.run([*words, program], env=workshop.programs.environment, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"code-work: {done.stderr.strip()[-300:]}")
    return {name: float(ns) for name, ns in (line.split() for line in done.stdout.splitlines())}
