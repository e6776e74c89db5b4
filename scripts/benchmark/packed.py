"""The case packed: sizes and times of packed streams, beside zstd -1 of the same blocks and a copy."""
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from cases import emulate
from measure import BenchError, LONGEST, Program, SOURCE, rounds
from report import figures_of as figures_of_program
from traces import Shape

# Asked for: times smaller than the plain stream.
SMALLER = {"lammps": 15, "netpipe": 22, "espresso": 10, "hpcc": 8}
PACK_PER_ZSTD, UNPACK_PER_ZSTD = 2.3, 1.4  # asked for: times faster than zstd -1 of the same bytes
MORE_NS = 9  # asked for: of all processes per event that is recorded, at most
TIMES_PLAIN = 1.1  # asked for: the time of an emulation, in times that of the plain trace


def packed(workshop, report):
    report.heading("packed streams: size, and ns per event (medians of each block), beside zstd -1 of the same blocks")
    rows = []
    with tempfile.TemporaryDirectory(dir=workshop.options.dir) as folder:
        for name, trace in application_traces(workshop, Path(folder), report):
            rows.append([name, *figures_of(workshop, trace)])
    for mix in ("mix", "messages"):
        shape = Shape(1, 2, 4_000_000 // workshop.scale, mix)
        with workshop.trace(shape) as trace:
            rows.append([shape.name, *figures_of(workshop, trace.path)])
            emulation(workshop, report, trace)
    recording(workshop, report)
    table = []
    for name, plain, packed_bytes, zstd, events, pack, unpack, compress, decompress, copy in rows:
        table.append([name, plain / 1e6, plain / packed_bytes, plain / zstd if zstd else None, packed_bytes / events, pack, unpack,
                      compress, decompress, copy])
        report.keep("packed", name, plain=plain, packed=packed_bytes, zstd=zstd, events=events, pack=pack, unpack=unpack,
                    compress=compress, decompress=decompress, copy=copy)
    report.table(["trace", "MB", "x smaller", "zstd x", "bytes/event", "pack ns", "unpack ns", "zstd ns", "back ns", "copy ns"], table)
    for name, plain, packed_bytes, zstd, _, pack, unpack, compress, decompress, _ in rows:
        if name in SMALLER:
            smaller = plain / packed_bytes
            report.goal("packed", f"{name}: times smaller, at least", f"{smaller:.1f}", SMALLER[name], smaller >= SMALLER[name])
            if zstd:
                report.goal("packed", f"{name}: packs as fast as zstd -1 times, at least", f"{compress / pack:.1f}", PACK_PER_ZSTD,
                            compress / pack >= PACK_PER_ZSTD)
                report.goal("packed", f"{name}: unpacks as fast as zstd times, at least", f"{decompress / unpack:.1f}",
                            UNPACK_PER_ZSTD, decompress / unpack >= UNPACK_PER_ZSTD)


def recording(workshop, report):
    """A program and its drainer together. Its events repeat themselves, but for their clocks and a number."""
    events = 8_000_000 // workshop.scale
    need = workshop.programs.need
    plain, packed_one = [Program(form, [need("ovnirun"), "--stream", form, "-o", "{out}", need("writer-bench"), "total", "emit-16",
                                        "--threads", "1", "--events", str(events)]) for form in ("plain", "packed")]
    rounds(workshop, [plain, packed_one])
    more = statistics.median(1e9 * (one.cpu - other.cpu) / events for one, other in zip(packed_one.samples, plain.samples))
    report.note(f"{events} events recorded, with their drainer: plain {1e9 * plain.median('cpu') / events:.1f}, "
                f"packed {1e9 * packed_one.median('cpu') / events:.1f} ns of processors per event")
    for program in (plain, packed_one):
        report.keep("packed", "recording", form=program.name, events=events, **figures_of_program(program))
    report.goal("packed", "recording: more ns per event than plain, at most", f"{more:.1f}", MORE_NS, more <= MORE_NS)


def emulation(workshop, report, trace):
    """The same trace in both forms, with files in memory."""
    with workshop.fresh("packed") as copy:
        ovnicut(workshop, "--packed", trace.path, copy / "trace")
        plain, packed_one = [Program(f"{trace.shape.name}, {form}", emulate(workshop, path))
                             for form, path in (("plain", trace.path), ("packed", copy / "trace"))]
        rounds(workshop, [plain, packed_one])
    times = packed_one.times(plain, "wall")
    for program in (plain, packed_one):
        report.keep("packed", "emulation", program=program.name, **figures_of_program(program))
    report.goal("packed", f"ovniemu, {trace.shape.name}: times the plain trace, at most", f"{times:.2f}", TIMES_PLAIN,
                times <= TIMES_PLAIN)


def application_traces(workshop, folder, report):
    """Traces of applications, as far as their packages can be had."""
    kept = folder / "kept"
    done = subprocess.run([SOURCE / "scripts/applications", "--keep", kept, *SMALLER], capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        report.note(f"scripts/applications: {done.stdout.strip()[-200:]}")
    for name in SMALLER:
        traces = sorted(kept.glob(f"{name}*/**/ovni"))
        if traces:
            plain = folder / f"plain-{name}"
            yield name, ovnicut(workshop, "--plain", traces[0], plain)
            shutil.rmtree(plain)
        else:
            report.note(f"{name} is not there")


def ovnicut(workshop, form, trace, to):
    done = subprocess.run([workshop.programs.need("ovnicut"), form, trace, "-o", to], capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(done.stderr.strip()[-300:])
    return to


def figures_of(workshop, trace):
    words = [workshop.programs.need("packed"), trace, workshop.options.runs]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"packed: {done.stderr.strip()[-300:]}")
    return [float(value) if "." in value else int(value) for value in done.stdout.split()]
