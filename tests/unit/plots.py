#!/usr/bin/python3
"""plots.py OVNIEMU: runs scripts/plots on traces of the golden tests. Exit status 77 where NumPy or Matplotlib is missing."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "scripts/plots"
MPI = ROOT / "tests/golden/cases/mpi-func/expected"

# Row 1 is in MPI_Send for 30 of 100 ns and in MPI_Recv for 20 (10 of them told twice), row 2 never runs.
SMALL = """#Paraver (19/01/38 at 03:14):00000000000000000100_ns:0:1:1(2:1)
2:0:1:1:1:0:4:1
2:0:1:1:1:0:25:0
2:0:1:1:1:10:25:13
2:0:1:1:2:20:4:2
2:0:1:1:1:40:25:12
2:0:1:1:1:50:25:12
2:0:1:1:1:60:25:0
2:0:1:1:1:100:4:3
"""


def run(program, *words):
    return subprocess.run([PLOTS / program, *map(str, words)], capture_output=True, text=True)


def check(ok, what):
    if not ok:
        sys.exit(f"failed: {what}")


def summary_counts_time(directory):
    (directory / "thread.prv").write_text(SMALL)
    done = run("summary", directory, "-n", 1)
    rows = [line.split() for line in done.stdout.splitlines()]
    check(["row", "1", "100.000", "100.0", "50.000", "50.0", "30.0", "20.0"] in rows, done)
    check(["row", "2", "0.000", "0.0", "0.000", "-", "-", "-"] in rows, done)


def timeline_draws_a_picture(directory):
    big = ["#Paraver (19/01/38 at 03:14):00000000000000900000_ns:0:1:1(2:1)"]
    big += [f"2:0:1:1:{i % 2 + 1}:{i * 10}:25:{i // 2 % 3}" for i in range(90_000)]
    (directory / "cpu.prv").write_text("\n".join(big))
    for words in ([MPI], [MPI, "--cpu", "-t", 3], [MPI, "--from", "1us", "--to", "25us"], [directory, "--cpu"]):
        picture = directory / "picture.png"
        picture.unlink(missing_ok=True)
        done = run("timeline", *words, "-o", picture)
        check(done.returncode == 0 and picture.read_bytes()[:4] == b"\x89PNG", done)


def rows_are_named_by_rank(directory):
    trace = directory / "trace"
    shutil.copytree(MPI.parent / "trace", trace)
    for file in MPI.iterdir():
        shutil.copy(file, trace)
    done = run("summary", trace)
    rows = [line.split()[:5] for line in done.stdout.splitlines() if line.startswith("rank ")]
    check(len(rows) == 4 and [row[1] for row in rows] == ["0", "1", "2", "3"], done)
    check(all(row[3] == "TH" for row in rows), done)


def columns_say_the_same(directory):
    try:
        import h5py  # noqa: F401
    except ImportError:
        return
    file = directory / "trace.h5"
    done = subprocess.run([sys.argv[1], "-o", directory, "--hdf5", file, MPI.parent / "trace"], capture_output=True, text=True)
    if "no HDF5" in done.stderr:
        return
    check(done.returncode == 0, done)
    figures = [[line.split()[-8:] for line in run("summary", trace, "-n", 4).stdout.splitlines()[3:]] for trace in (directory, file)]
    check(figures[0] == figures[1] and len(figures[0]) > 3, figures)
    tables = [run("durations", trace, "-n", 3, "-o", directory / "d.png") for trace in (directory, file)]
    check(tables[0].returncode == 0 and tables[0].stdout == tables[1].stdout and "MPI_" in tables[0].stdout, tables)
    for program in ("timeline", "shares", "durations"):
        picture = directory / f"{program}.png"
        done = run(program, file, "-o", picture)
        check(done.returncode == 0 and picture.read_bytes()[:4] == b"\x89PNG", done)
    check(run("timeline", file, "--cpu", "-t", 3, "-o", directory / "cpus.png").returncode == 0, "CPUs")
    absent = run("shares", file, "-t", 999)
    check(absent.returncode == 1 and "channel type 999" in absent.stderr, absent)
    (directory / "text.h5").write_text("no columns")
    bad = run("shares", directory / "text.h5")
    check(bad.returncode == 1 and "text.h5" in bad.stderr and "Traceback" not in bad.stderr, bad)


def shares_tell_applications_apart(directory):
    try:
        import h5py  # noqa: F401
    except ImportError:
        return
    trace = directory / "trace"
    shutil.copytree(MPI.parent / "trace", trace)
    for file in trace.rglob("stream.json"):
        stream = json.loads(file.read_text())
        ovni = stream["ovni"]
        if ovni["rank"] >= 2:
            ovni["app_id"] = 2
        ovni["rank"] %= 2
        ovni["nranks"] = 2
        file.write_text(json.dumps(stream))
    file = directory / "trace.h5"
    done = subprocess.run([sys.argv[1], "-o", directory, "--hdf5", file, trace], capture_output=True, text=True)
    if "no HDF5" in done.stderr:
        return
    check(done.returncode == 0, done)
    sys.path.insert(0, str(PLOTS))
    from columns import Columns

    shares = {"__name__": "shares"}
    exec((PLOTS / "shares").read_text(), shares)
    names, _, time, whole = shares["time_by_rank"](Columns(file), 25)
    check(names == ["rank 1.0", "rank 1.1", "rank 2.0", "rank 2.1"], names)
    check((time.sum(axis=1) > 0).all() and len(set(whole)) == 1, (time, whole))


def faults_are_named(directory):
    missing = run("summary", directory / "nowhere")
    check(missing.returncode == 1 and "nowhere" in missing.stderr and "Traceback" not in missing.stderr, missing)
    (directory / "bad.prv").write_text("no trace\n")
    bad = run("timeline", directory / "bad.prv")
    check(bad.returncode == 1 and "not the header" in bad.stderr, bad)
    check(run("timeline", MPI, "--from", "2x").returncode == 2, "time without meaning")
    picture = directory / "none.png"
    absent = run("timeline", MPI, "-t", 999, "-o", picture)
    check(absent.returncode == 1 and "event type 999" in absent.stderr and not picture.exists(), absent)


def main():
    try:
        import matplotlib, numpy  # noqa: F401
    except ImportError as e:
        print(e)
        sys.exit(77)
    for test in (summary_counts_time, timeline_draws_a_picture, rows_are_named_by_rank, columns_say_the_same, shares_tell_applications_apart, faults_are_named):
        with tempfile.TemporaryDirectory() as directory:
            test(Path(directory))


if __name__ == "__main__":
    main()
