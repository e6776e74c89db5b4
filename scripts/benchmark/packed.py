"""The case packed: sizes and times of packed streams, beside zstd -1 of the same blocks and a copy."""
import shutil
import subprocess
import tempfile
from pathlib import Path

from measure import BenchError, LONGEST, SOURCE
from traces import Shape

# Asked for: times smaller than the plain stream.
SMALLER = {"lammps": 15, "netpipe": 22, "espresso": 10, "hpcc": 8}
PACK_PER_ZSTD, UNPACK_PER_ZSTD = 2.3, 1.4  # asked for: times faster than zstd -1 of the same bytes


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
            yield name, plain_of(workshop, traces[0], plain)
            shutil.rmtree(plain)
        else:
            report.note(f"{name} is not there")


def plain_of(workshop, trace, plain):
    done = subprocess.run([workshop.programs.need("ovnicut"), "--plain", trace, "-o", plain], capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(done.stderr.strip()[-300:])
    return plain


def figures_of(workshop, trace):
    words = [workshop.programs.need("packed"), trace, workshop.options.runs]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise BenchError(f"packed: {done.stderr.strip()[-300:]}")
    return [float(value) if "." in value else int(value) for value in done.stdout.split()]
