"""The case code: what alarms on the program's code cost a hit, and what counting instructions costs a program."""
import statistics
import subprocess
import tempfile

from measure import BenchError, LONGEST

FAR = "1000000000000"
# Measured: a hit of each kind, and code at which nothing is armed any more; the function, and the chains.
HITS = {
    "a trap": ("traps", f"threadid:address:trap:count{FAR}"),
    "a jump": ("hits", f"threadid:address:hit:count{FAR}"),
    "begin and end of a function, by jumps": ("hits", f"threadid:exit_func:hit:count{FAR}"),
    "in translated code": ("hits", f"threadid:address:hit:count{FAR}|threadid:icount:{FAR}"),
    "fired": ("hits", "threadid:address:hit"),
}
COUNTED = f"threadid:icount:{FAR}"
WORK = ("loops", "sorting", "library", "calls")
TRAP_NS, JUMP_NS, LOOPS, CALLS, FIRED_NS = 2000, 20, 1.5, 5, 1  # asked for


def code_alarms(workshop, report):
    program = workshop.programs.path("code-work")
    if not program:
        report.note("skipped: libovni-code.so could not be built")
        return
    chains = {"none": None, "counted": COUNTED, **{name: chain for name, (_, chain) in HITS.items()}}
    runs = {name: [] for name in chains}
    for _ in range(workshop.options.runs):
        for name, chain in chains.items():
            runs[name].append(one_run(workshop, program, chain))
    medians = {name: {work: statistics.median(run[work] for run in figures) for work in figures[0]} for name, figures in runs.items()}
    report.heading("alarms on code, ns per hit (medians)")
    costs = {name: medians[name][work] - medians["none"][work] for name, (work, _) in HITS.items()}
    costs["a trap of the system, with an empty handler"] = medians["none"]["bare_traps"]
    report.table(["alarm", "ns more than without"], list(costs.items()))
    report.heading("instructions are counted, times as long as without (medians)")
    ratios = {work: medians["counted"][work] / medians["none"][work] for work in WORK}
    report.table(["work", "times"], [[work, ratio] for work, ratio in ratios.items()])
    for name, ns in costs.items():
        report.keep("code", name, ns=ns)
    for work, ratio in ratios.items():
        report.keep("code", work, times=ratio)
    for what, name, limit in (("a trap", "a trap", TRAP_NS), ("a jump", "a jump", JUMP_NS),
                              ("code at which nothing is armed", "fired", FIRED_NS)):
        report.goal("code", f"{what}, ns, at most", f"{costs[name]:.2f}", limit, costs[name] <= limit)
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
