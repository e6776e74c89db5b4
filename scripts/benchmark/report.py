"""Prints results as they come and keeps them for JSON."""
import os
import platform
import subprocess
import sys
from datetime import datetime

from measure import SOURCE


def machine(build_dir, load):
    def first(path, key):
        with open(path) as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith(key)), "?")

    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=SOURCE, capture_output=True, text=True).stdout.strip()
    return {"date": datetime.now().isoformat(timespec="seconds"), "commit": commit, "cpu": first("/proc/cpuinfo", "model name"),
            "cores": len(os.sched_getaffinity(0)), "memory": first("/proc/meminfo", "MemTotal"), "kernel": platform.release(),
            "build": str(build_dir), "load": load}


class Report:
    def __init__(self, about, judge):
        self.failures = 0
        self.judge = judge  # are goals looked at?
        self.results = {"machine": about, "results": []}
        print(f"{about['cpu']}, {about['cores']} cores, {about['memory']}, Linux {about['kernel']}, commit {about['commit']}, "
              f"load {about['load']:.2f}")
        if about["load"] > 0.5:
            print("The machine is busy: figures are noisy.")

    def heading(self, text):
        print(f"\n{text}", flush=True)

    def note(self, text):
        print(f"  note: {text}", flush=True)

    def failed(self, case, error):
        self.failures += 1
        print(f"  failed: {error}", flush=True)
        self.results["results"].append({"case": case, "failed": str(error)})

    def table(self, heads, rows):
        cells = [heads] + [[cell(value) for value in row] for row in rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
        for row in cells:
            print("  " + f"{row[0]:<{widths[0]}}" + "".join(f"  {text:>{width}}" for text, width in zip(row[1:], widths[1:])))
        sys.stdout.flush()

    def keep(self, case, name, **figures):
        self.results["results"].append({"case": case, "name": name, **figures})

    def goal(self, case, what, value, limit, reached):
        """`value` and `limit` as to be printed, `reached` if it is."""
        if not self.judge:
            return
        print(f"  goal: {what} {limit}: {value}, {'reached' if reached else 'missed'}", flush=True)
        self.results["results"].append({"case": case, "goal": what, "limit": limit, "value": value, "reached": bool(reached)})

    def end(self):
        self.results["machine"]["load_at_end"] = os.getloadavg()[0]


def cell(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"
    return str(value)


def figures_of(program):
    """The figures of a timed program, for JSON."""
    return {"runs": [{"wall": s.wall, "user": s.user, "sys": s.system, "peak_kib": s.peak_kib, "rank_wall": s.rank_wall,
                      "rank_cpu": s.rank_cpu} for s in program.samples]}
