"""The cases: what is run on which traces, and what is asked for."""
import json
import math
import re
import shutil
from dataclasses import replace

from measure import Program, rounds, run_once, run_together, Sample
from recorded import EXACT_ORDER, FASTER, PEAK_MB, RANKS, REFERENCE, YARDSTICKS
from report import figures_of
from traces import Shape

# The cost model of mpi/emu/README.md: the size of a record; records of a window, and per window the collective calls
# and the bytes of what is agreed on, with one rank and with more.
RECORD_BYTES, ALONE, MANY = 32, (8192, 2, 130), (32768, 5, 1300)

SHAPES = {32: (8, 4), 512: (8, 64), 2048: (32, 64)}


def emulate(workshop, trace, *options, ranks=0):
    program = "ovniemu-mpi" if ranks else "ovniemu"
    return [workshop.programs.need(program), *options, "-o", "{out}", str(trace)]


def yardstick(workshop, trace):
    return Program("yardstick", [workshop.programs.need("yardstick"), "--like", str(trace.like), str(trace.path), "{out}"])


# ---- emulator

def emulator(workshop, report):
    shapes = [Shape(*SHAPES[streams], events // workshop.scale, mix)
              for mix, streams in (("mix", 32), ("mix", 512), ("mix", 2048), ("tasks", 32)) for events in (4_000_000, 16_000_000)]
    for shape in shapes:
        if workshop.options.only and not re.search(workshop.options.only, shape.name):
            continue
        report.heading(f"emulator: {shape.name} (mix, streams, events)")
        if shape.mix == "tasks" and not workshop.task_models:
            report.note("skipped: ovniemu knows no model with tasks yet")
            continue
        with workshop.emulated_trace(shape) as trace:
            emulator_on(workshop, report, trace)


def emulator_programs(workshop, report, trace):
    programs = [yardstick(workshop, trace), Program("ovniemu", emulate(workshop, trace.path))]
    if shutil.which("taskset"):
        programs.append(Program("ovniemu, one core", ["taskset", "-c", "0", *emulate(workshop, trace.path)]))
    if workshop.programs.has_option("ovniemu", "--exact-order"):
        programs.append(Program("ovniemu --exact-order", emulate(workshop, trace.path, "--exact-order")))
    else:
        report.note("ovniemu has no --exact-order yet: skipped")
    if workshop.programs.mpi:
        programs.append(Program("ovniemu-mpi, 2 ranks", emulate(workshop, trace.path, ranks=2), ranks=2))
    else:
        report.note("no MPI: ovniemu-mpi is skipped")
    return programs


def emulator_on(workshop, report, trace):
    shape = trace.shape
    if trace.models != "ovni,mpi,nosv" and shape.mix == "mix":
        report.note(f"models {trace.models} only: not the mix of the recorded reference and of the goals")
    programs = emulator_programs(workshop, report, trace)
    rounds(workshop, programs)
    stick, rows = programs[0], []
    for program in programs:
        wall = program.median("wall")
        rows.append([program.name, wall, program.median("user"), program.median("system"), program.median("cpu"),
                     program.times(stick, "wall"), program.times(stick, "cpu"), 1e9 * program.median("cpu") / shape.events,
                     shape.events / wall / 1e6, trace.in_bytes / wall / 1e6, trace.out_bytes / wall / 1e6,
                     program.median("peak_kib") / 1e3, f"{program.spread():.0%}"])
        report.keep("emulator", shape.name, program=program.name, ranks=program.ranks, models=trace.models, in_bytes=trace.in_bytes,
                    out_bytes=trace.out_bytes, **figures_of(program))
    if recorded := REFERENCE.get(shape.name):
        rows.append(["reference, recorded", None, None, None, recorded.cpu, None, None, 1e9 * recorded.cpu / shape.events,
                     None, None, None, recorded.peak_mb, None])
    report.table(["program", "wall s", "user", "sys", "u+s", "x wall", "x u+s", "ns/event", "Mev/s", "in MB/s", "out MB/s", "peak MB",
                  "spread"], rows)
    emulator_goals(report, shape, programs)


def emulator_goals(report, shape, programs):
    by_name = {program.name: program for program in programs}
    stick, plain = by_name["yardstick"], by_name["ovniemu"]
    if limit := YARDSTICKS.get((shape.mix, shape.streams)):
        times = plain.times(stick, "cpu")
        report.goal("emulator", f"{shape.name}, yardsticks (u+s) at most", f"{times:.2f} (wall {plain.times(stick, 'wall'):.2f})",
                    limit, times <= limit)
    if limit := PEAK_MB.get(shape.streams):
        peak = plain.median("peak_kib") / 1e3
        report.goal("emulator", f"{shape.name}, peak MB below", f"{peak:.0f}", limit, peak < limit)
    if exact := by_name.get("ovniemu --exact-order"):
        times = exact.times(plain, "cpu")
        report.goal("emulator", f"{shape.name}, --exact-order against the default at most", f"{times:.2f}", EXACT_ORDER,
                    times <= EXACT_ORDER)


# ---- ranks

def ranks(workshop, report):
    events = long_trace(workshop) // workshop.scale
    for what, shape in (("8 equal looms", Shape(8, 4, events)), ("one loom of 8 processes", Shape(1, 4, events, processes=8)),
                        ("8 looms, of sizes as 1 : 2 : ... : 8", Shape(8, 4, events, growing=True))):
        report.heading(f"ranks: {shape.name}, {what}")
        ranks_of(workshop, report, shape)


def ranks_of(workshop, report, shape):
    tiny = replace(shape, events=3200)
    with workshop.trace(shape) as whole, workshop.trace(tiny) as nothing, workshop.fresh("halves") as folder:
        halves = half_traces(whole.path, folder)
        single = Program("ovniemu -j 1, whole", emulate(workshop, whole.path, "-j", "1"))
        both = Program("two ovniemu -j 1, half each", [])
        threads = Program("ovniemu -j 2", emulate(workshop, whole.path, "-j", "2"))
        programs = [single, both, threads]
        if workshop.programs.mpi:
            programs += [Program("ovniemu-mpi, 2 ranks", emulate(workshop, whole.path, ranks=2), ranks=2),
                         Program("the same, nearly no events", emulate(workshop, nothing.path, ranks=2), ranks=2)]
        else:
            report.note("no MPI: without ovniemu-mpi")
        for i in range(workshop.options.runs + 1):
            samples = [run_halves(workshop, halves) if program is both else run_once(workshop, program) for program in programs]
            if i > 0:  # the first is the warm-up
                for program, sample in zip(programs, samples):
                    program.samples.append(sample)
        ranks_report(report, shape, programs)


def long_trace(workshop):
    """As long as there is room for, so that the start of MPI weighs as little as on a real trace of gigabytes."""
    return next((n for n in (64_000_000, 32_000_000) if workshop.has_space(n)), 16_000_000)


def half_traces(whole, folder):
    """Links to one half of the looms each, or of the processes of a single loom; the largest are dealt first."""
    looms = sorted(whole.iterdir())
    parts = looms if len(looms) > 1 else sorted(looms[0].iterdir())
    sizes = {part: sum(file.stat().st_size for file in part.rglob("*.obs")) for part in parts}
    halves = {folder / "a": 0, folder / "b": 0}
    for part in sorted(parts, key=lambda part: -sizes[part]):
        half = min(halves, key=halves.get)
        halves[half] += sizes[part]
        link = half / part.relative_to(whole)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(part)
    return list(halves)


def run_halves(workshop, halves):
    with workshop.fresh("out-a") as a, workshop.fresh("out-b") as b:
        commands = [([word.format(out=out) for word in emulate(workshop, half, "-j", "1")], 0) for half, out in zip(halves, (a, b))]
        samples = run_together(workshop.programs, commands, workshop.folder)
    return Sample(max(s.wall for s in samples), sum(s.user for s in samples), sum(s.system for s in samples),
                  max(s.peak_kib for s in samples), max(s.wall for s in samples))


def ranks_report(report, shape, programs):
    single, both, threads, *of_mpi = programs
    rows = []
    for program in programs:
        rows.append([program.name, program.median("wall"), program.median("rank_wall"), program.median("cpu"),
                     single.times(program, "wall"), single.median("rank_wall") / program.median("rank_wall"),
                     program.median("peak_kib") / 1e3, f"{program.spread():.0%}"])
        report.keep("ranks", shape.name, looms=shape.looms, program=program.name, **figures_of(program))
    if of_mpi:
        rows[-1][4:6] = [None, None]
    report.table(["program", "wall s", "ranks' wall s", "u+s", "speed-up", "of ranks", "peak MB", "spread"], rows)
    part = both.times(threads, "wall")
    report.goal("ranks", "ovniemu -j 2: part of the speed-up of two halves, at least", f"{part:.2f}", RANKS, part >= RANKS)
    if not of_mpi:
        return
    two, empty = of_mpi
    report.note("ranks' wall: the longest of the ranks, which begins when mpirun has started them")
    part = both.times(two, "wall")
    running = both.median("wall") / (two.median("wall") - empty.median("wall"))
    report.goal("ranks", "ovniemu-mpi: part of the speed-up of two halves, at least",
                f"{part:.2f} (without the start of MPI {running:.2f})", RANKS, part >= RANKS)


# ---- start-up

def startup(workshop, report):
    most = 2048 if workshop.options.quick else 8192
    sizes = [streams for streams in (128, 512, 2048, 8192) if streams <= most]
    for what, looms_of in (("looms of 64 threads", lambda streams: streams // 64), ("one loom", lambda streams: 1)):
        report.heading(f"startup: {what}, 8 events per stream")
        programs = [startup_of(workshop, report, Shape(looms_of(n), n // looms_of(n), 8 * n)) for n in sizes]
        for name in programs[0]:
            startup_report(report, what, sizes, [sample[name] for sample in programs])


def startup_of(workshop, report, shape):
    with workshop.emulated_trace(shape) as trace:
        programs = [yardstick(workshop, trace), Program("ovniemu", emulate(workshop, trace.path))]
        if workshop.programs.mpi:
            programs.append(Program("ovniemu-mpi, 2 ranks", emulate(workshop, trace.path, ranks=2), ranks=2))
        rounds(workshop, programs)
        for program in programs:
            report.keep("startup", shape.name, looms=shape.looms, program=program.name, **figures_of(program))
        return {program.name: program for program in programs}


def startup_report(report, what, sizes, programs):
    """Per stream, and by how much per further stream: equal figures in all lines are linear growth."""
    rows, before = [], None
    for streams, program in zip(sizes, programs):
        now = (streams, program.median("rank_wall"), program.median("cpu"), program.median("peak_kib"))
        further = [(b - a) / (streams - before[0]) for a, b in zip(before[1:], now[1:])] if before else [None] * 3
        rows.append([f"{program.name}: {streams}", now[1], 1e6 * now[1] / streams, scaled(further[0], 1e6), scaled(further[1], 1e6),
                     now[3] / 1e3, scaled(further[2], 1.024)])
        before = now
    report.table(["streams", "wall s", "us/stream", "us/further", "u+s us/further", "peak MB", "kB/further"], rows)
    if len(programs) > 1 and programs[0].name != "yardstick":
        a, b = programs[-2:]
        growth = math.log(b.median("cpu") / a.median("cpu")) / math.log(sizes[-1] / sizes[-2])
        report.goal("startup", f"{what}, {programs[0].name}: u+s grows linearly, with the power of", f"{growth:.2f}", "about 1",
                    growth < 1.15)


def scaled(value, factor):
    return None if value is None else value * factor


# ---- tools

def tools(workshop, report):
    shape = Shape(8, 4, 16_000_000 // workshop.scale)
    report.heading(f"tools: {shape.name}")
    with workshop.trace(shape) as trace:
        path = str(trace.path)
        programs = [Program("ovnidump", [workshop.programs.need("ovnidump"), path]),
                    Program("ovnitop", [workshop.programs.need("ovnitop"), path]),
                    Program("ovnisort", [workshop.programs.need("ovnisort"), path])]
        rounds(workshop, programs)
        rows = []
        for program in programs:
            recorded = REFERENCE.get(program.name)
            cpu = program.median("cpu")
            rows.append([program.name, program.median("wall"), cpu, 1e9 * cpu / shape.events, trace.in_bytes / program.median("wall") / 1e6,
                         program.median("peak_kib") / 1e3, recorded and recorded.cpu / workshop.scale, f"{program.spread():.0%}"])
            report.keep("tools", shape.name, program=program.name, **figures_of(program))
        report.table(["program", "wall s", "u+s", "ns/event", "in MB/s", "peak MB", "reference u+s", "spread"], rows)
        for program in programs:
            if limit := FASTER.get(program.name):
                faster = REFERENCE[program.name].cpu / workshop.scale / program.median("cpu")
                report.goal("tools", f"{program.name}, times as fast as recorded, at least", f"{faster:.1f}", limit, faster >= limit)


# ---- model

def model(workshop, report):
    """The cost of the distributed emulation by number of ranks, next to the cost model of mpi/emu/README.md."""
    shape = Shape(8, 4, 4_000_000 // workshop.scale)
    report.heading(f"model: {shape.name} at 1 to 8 ranks")
    if not workshop.programs.mpi:
        report.note("no MPI: skipped")
        return
    with workshop.trace(shape) as trace:
        programs = [Program(f"{n} ranks", emulate(workshop, trace.path, ranks=n), ranks=n) for n in (1, 2, 4, 8)]
        rounds(workshop, programs)
        rows = []
        for program in programs:
            rows.append([program.name, program.median("wall"), program.median("rank_wall"), program.median("cpu"),
                         program.median("peak_kib") / 1e3, f"{program.spread():.0%}"])
            report.keep("model", shape.name, program=program.name, ranks=program.ranks, **figures_of(program))
        report.table(["ovniemu-mpi", "wall s", "ranks' wall s", "u+s", "peak MB of a rank", "spread"], rows)
        rows = []
        for program in programs:
            costs = statistics_of(workshop, program)
            rows += model_rows(program, costs)
            report.keep("model", shape.name, program=f"{program.name}, counters", counters=costs)
        report.table(["counter, of a rank", "measured", "predicted", "ratio"], rows)


def statistics_of(workshop, program):
    file = workshop.folder / "statistics.json"
    run_once(workshop, Program(program.name, [*program.words[:-1], "--statistics", str(file), program.words[-1]], program.ranks))
    costs = json.loads(file.read_text())
    file.unlink()
    return costs


def model_rows(program, costs):
    ranks, records = len(costs), sum(cost["records_made"] for cost in costs)
    window, collectives, agreed = MANY if ranks > 1 else ALONE
    windows = math.ceil(records / ranks / window)
    predicted = {
        "windows": windows,
        "collectives_in_windows": windows * collectives,
        "bytes_sent": records / ranks * RECORD_BYTES * (ranks - 1) / ranks + windows * agreed,
        "records_written": records / ranks,
    }
    rows = []
    for name, expected in predicted.items():
        measured = sum(cost[name] for cost in costs) / ranks
        rows.append([f"{program.name}: {name}", measured, expected, measured / expected])
    return rows
