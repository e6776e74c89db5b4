"""The case views: what each output for other viewers adds to an emulation: time, peak memory, size."""
from pathlib import Path

from cases import emulate
from measure import Program, rounds, run_once
from report import figures_of
from traces import Shape

EVENTS = 16_000_000
MOST_TIMES = {"html": 1.3, "mpi-prv": 1.6, "perfetto": 1.3, "otf2": 1.3}  # asked for: an emulation with it, in times of the base
RANKS = 2
BASE = "PRV only"
OUTPUTS = {
    "hdf5": ("--hdf5", "{out}/columns.h5"),
    "html": ("--html", "{out}/page.html"),
    "perfetto": ("--perfetto", "{out}/trace.pftrace"),
    "otf2": ("--otf2", "{out}/archive"),
    "paje": ("--paje", "{out}/trace.paje"),
    "mpi-prv": ("--mpi-prv",),
}


def views(workshop, report):
    shape = Shape(8, 64, EVENTS // workshop.scale, "messages")
    report.heading(f"views: {shape.name} (mix, streams, events), each output besides thread.prv and cpu.prv")
    with workshop.trace(shape) as trace:
        for program, ranks in (("ovniemu", 0), ("ovniemu-mpi", RANKS)):
            if ranks and not workshop.programs.mpi:
                report.note("no MPI: ovniemu-mpi is skipped")
                continue
            views_by(workshop, report, trace, program, ranks)


def views_by(workshop, report, trace, program, ranks):
    """There is no emulation without any output: that with Paraver's alone is the base."""
    base = Program(BASE, emulate(workshop, trace.path, ranks=ranks), ranks=ranks)
    outputs = [Program(name, emulate(workshop, trace.path, *options, ranks=ranks), ranks=ranks)
               for name, options in OUTPUTS.items() if workshop.programs.has_option(program, options[0])]
    sizes = {each.name: size_of(workshop, each) for each in (base, *outputs)}
    rounds(workshop, [base, *outputs])
    report.note(f"{program}, {ranks or 1} ranks")
    rows = []
    for each in (base, *outputs):
        size = sizes[each.name] - (0 if each is base else sizes[BASE])
        rows.append([each.name, each.median("wall"), each.median("cpu"), each.times(base, "wall"), each.times(base, "cpu"),
                     size / 1e6, each.median("peak_kib") / 1e3, f"{each.spread():.0%}"])
        report.keep("views", each.name, program=program, ranks=ranks, bytes=size, **figures_of(each))
    report.table(["output", "wall s", "u+s", "x wall", "x u+s", "own MB", "peak MB", "spread"], rows)
    by_name = {each.name: each for each in outputs}
    for name, most in MOST_TIMES.items():
        if name in by_name:
            times = by_name[name].times(base, "cpu")
            report.goal("views", f"{program} with {name}: times the u+s of {BASE}, at most", f"{times:.2f}", most, times <= most)


def size_of(workshop, program):
    """Bytes of all that a run leaves."""
    with workshop.fresh("sizes") as out:
        words = [word.format(out=out) for word in program.words]
        run_once(workshop, Program(program.name, words, program.ranks))
        return sum(file.stat().st_size for file in Path(out).rglob("*") if file.is_file())
