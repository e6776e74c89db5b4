#!/usr/bin/python3
"""plots.py OVNIEMU: runs scripts/plots on traces of the golden tests. Exit status 77 where NumPy or Matplotlib is missing."""
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import traceback
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
    """In a child of this process, which has imported what takes most of the time of a program."""
    words = [str(PLOTS / program), *map(str, words)]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            become(words)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, status, out.read(), err.read())


def become(words):
    """Ends as python3 would end the program."""
    sys.argv = words
    sys.path.insert(0, str(PLOTS))
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
    status = 0
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def check(ok, what):
    if not ok:
        sys.exit(f"failed: {what}")


def programs_start(directory):
    for program in ("durations", "matrix", "shares", "summary", "timeline"):
        done = subprocess.run([PLOTS / program, "--help"], capture_output=True, text=True)
        check(done.returncode == 0 and done.stdout.startswith(f"usage: {program} "), done)


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


def legend_of(path, kind):
    """The colours of MPI functions that a plot of the path has."""
    sys.path.insert(0, str(PLOTS))
    from colors import color_of
    from columns import open_trace

    legend = open_trace(path, kind).legend
    return tuple(sorted((label, color_of(legend, 25, v)) for v, label in legend.types[25].labels.items() if label.startswith("MPI_")))


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
    colors = {(kind, trace): legend_of(trace, kind) for kind in ("thread", "cpu") for trace in (directory, file)}
    check(len(set(colors.values())) == 1, "colours of threads, CPUs, PRV and HDF5")
    shares = directory / "shares.svg"
    check(run("shares", file, "-o", shares).returncode == 0 and "% of the life of all threads" in shares.read_text(), "shares of what")
    check(run("timeline", file, "--cpu", "-t", 3, "-o", directory / "cpus.png").returncode == 0, "CPUs")
    absent = run("shares", file, "-t", 999)
    check(absent.returncode == 1 and "event type 999" in absent.stderr, absent)
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
    trace = Columns(file)
    check((time.sum(axis=1) > 0).all() and (time.sum(axis=1) <= whole).all(), (time, whole))
    states = trace.intervals(4)
    lives = states.length()[states.value != 3].sum()
    check(whole.sum() == lives < 4 * trace.duration, (whole, "the life of threads"))
    check(set(shares["time_by_rank"](trace, 4)[3]) == {trace.duration}, "states are shares of the trace")


def matrix_counts_messages(directory):
    """Written as ovniemu does, with what a matrix needs: rank 0 sends 2 messages to rank 1 on the other node, which sends 1 back."""
    try:
        import h5py
        import numpy as np
    except ImportError:
        return
    path = directory / "trace.h5"
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "ovni-mpi columns", "version": 1, "duration": 100})
        for name in ("types", "labels"):
            file[name] = np.zeros(0, [("file", "S1"), ("type", "i8"), ("value", "i8"), ("title", "S1"), ("label", "S1")])
        file["rows/looms"] = np.array([(b"x", b"a"), (b"y", b"b"), (b"z", b"b")], [("name", "S1"), ("host", "S1")])
        file["rows/processes"] = np.array([(1,), (1,)], [("app", "i8")])
        file["rows/threads"] = np.array([(b"t", 0, 0, 0), (b"u", 0, 0, 0), (b"v", 1, 1, 2)],
                                        [("label", "S1"), ("rank", "i8"), ("process", "i8"), ("loom", "i8")])
        file["channels/4"] = np.zeros(0, [("time", "i8"), ("thread", "i4"), ("cpu", "i4"), ("value", "i8")])
    absent = run("matrix", path)
    check(absent.returncode == 1 and len(absent.stderr.splitlines()) == 1 and "no messages in it" in absent.stderr, absent)
    with h5py.File(path, "a") as file:
        file["messages"] = np.array([(0, 2, 8), (1, 2, 100), (2, 0, 2**64 - 1)], [("sender", "i4"), ("receiver", "i4"), ("bytes", "u8")])
    tables = {words: run("matrix", path, "--table", *words) for words in ((), ("--show", "messages"), ("--by", "node"))}
    rows = {words: [line.split() for line in done.stdout.splitlines()] for words, done in tables.items()}
    check(rows[()] == [["bytes,", "by", "rank"], ["from\\to", "rank", "0", "rank", "1", "all"], ["rank", "0", "0", "108", "108"],
                       ["rank", "1", "0", "0", "0"], ["all", "0", "108", "108"]], tables)
    check(rows["--show", "messages"][2:4] == [["rank", "0", "0", "2", "2"], ["rank", "1", "1", "0", "1"]], tables)
    check(rows["--by", "node"][2:] == [["a", "0", "108", "108"], ["b", "0", "0", "0"], ["all", "0", "108", "108"]], tables)
    for words in ([], ["--by", "node", "--show", "messages"]):
        picture = directory / "matrix.svg"
        picture.unlink(missing_ok=True)
        done = run("matrix", path, "-o", picture, *words)
        check(done.returncode == 0 and "receiver" in picture.read_text(), done)


def a_part_is_that_of_the_emulator(directory):
    """Summaries and shares of a part are those of the outputs that ovniemu makes of it."""
    trace = MPI.parent / "trace"
    emulator = Path(sys.argv[1])
    part = directory / "part"
    focus = ("--ranks", "1-2", "--from", "1us")
    done = subprocess.run([emulator, *focus, "-o", part, "--hdf5", directory / "part.h5", trace], capture_output=True, text=True)
    has_columns = "no HDF5" not in done.stderr
    check(done.returncode == 0 or not has_columns, done)
    environment = {"PATH": f"{emulator.parent}:/usr/bin:/bin", "TMPDIR": str(directory)}

    def shown(program, *words):
        return subprocess.run([PLOTS / program, *map(str, words)], capture_output=True, text=True, env=environment)

    if has_columns:
        rows = [line.split("TH ")[1].split() for line in run("summary", part, "-n", 3).stdout.splitlines() if "TH " in line]
        done = shown("summary", trace, *focus, "-n", 3)
        of_part = [line.split("TH ") for line in done.stdout.splitlines() if "TH " in line]
        check(rows == [line[1].split() for line in of_part] and len(rows) == 2, done)
        check([line[0].split()[:2] for line in of_part] == [["rank", "1"], ["rank", "2"]], done)
        picture = directory / "part.svg"
        done = shown("timeline", trace, *focus, "-o", picture)
        check(done.returncode == 0 and "ranks 1-2" in picture.read_text(), done)
        try:
            import h5py  # noqa: F401

            tables = [shown("shares", *words, "--table", "-b", "thread").stdout for words in ([directory / "part.h5"], [trace, *focus])]
            check(tables[0] == tables[1] and tables[0], tables)
        except ImportError:
            pass
    wrong = shown("summary", trace, "--ranks", "9")
    check(wrong.returncode == 1 and wrong.stderr.strip().endswith("there is no rank 9 (the nearest is 3)"), wrong)
    wrong = shown("summary", MPI / "thread.prv", "--ranks", "1")
    check(wrong.returncode == 1 and "only of a directory" in wrong.stderr, wrong)
    check(not list(directory.glob("ovni-plot.*")), "files of a part are left")


def many_values_leave_room(directory):
    """60 values in 2 rows: the largest have entries of their own."""
    lines = ["#Paraver (19/01/38 at 03:14):00000000000000006000_ns:0:1:1(2:1)"]
    lines += [f"2:0:1:1:{i % 2 + 1}:{i * 100}:25:{1000 + i}" for i in range(60)]
    (directory / "thread.prv").write_text("\n".join(lines))
    names = "\n".join(f"{1000 + i} {'a_very_long_name_of_a_region_' * 5}{i}" for i in range(60))
    (directory / "thread.pcf").write_text(f"EVENT_TYPE\n0 25 Functions\nVALUES\n{names}\n")
    for words in ([], ["--width", 8], ["--from", "1us", "--to", "5us"]):
        done = run("timeline", directory, "-o", directory / "many.svg", *words)
        check(done.returncode == 0 and not done.stderr, done)
        picture = (directory / "many.svg").read_text()
        check("<!-- other (" in picture and picture.count("% -->") == 24, "entries of the legend")


def pictures_say_of_what(directory):
    """Shares name what they are shares of; times of a column and of an axis have one unit."""
    (directory / "thread.prv").write_text(SMALL)
    run("timeline", directory, "-o", directory / "t.svg")
    picture = (directory / "t.svg").read_text()
    check("% of all coloured time" in picture and "(50 ns, sum of rows)" in picture and "13  60.0%" in picture, picture[:0])
    done = run("durations", directory, "-o", directory / "d.svg")
    rows = [line.split() for line in done.stdout.splitlines()]
    check(rows[0] == ["calls", "total", "[ns]", "median", "[ns]", "90", "%", "[ns]", "longest", "[ns]"], done)
    check(["13", "1", "30.000", "30.000", "30.000", "30.000"] in rows, done)
    picture = (directory / "d.svg").read_text()
    check("<!-- 10 ns -->" in picture and "<!-- 100 ns -->" in picture and "<!-- 1 ns -->" not in picture, "ticks with units")
    done = run("durations", directory, "-t", 4, "-o", directory / "d.svg")
    check("intervals" in done.stdout and "calls" not in done.stdout, done)


def colours_belong_to_labels(directory):
    """Whatever the labels are read from and whatever else there is."""
    sys.path.insert(0, str(PLOTS))
    from colors import FIXED, color_of
    from prv import EventType, Legend, Trace

    threads, cpus = (Trace(MPI / f"{name}.prv").legend for name in ("thread", "cpu"))
    labels = threads.types[25].labels
    check(all(color_of(threads, 25, v) == color_of(cpus, 25, v) for v in labels) and len(labels) > 40, "threads and CPUs")
    check(len({color_of(threads, 25, v) for v in labels}) == len(labels), "each function has a colour of its own")
    small = Legend({25: EventType("some", {7: "MPI_Send", 8: "MPI_Recv", 9: "Running"})})
    send = next(v for v, label in labels.items() if label == "MPI_Send")
    check(color_of(small, 25, 7) == color_of(threads, 25, send) and color_of(small, 25, 9) == FIXED["Running"], "by label")
    check(len({color_of(Legend(), 2, v) for v in range(10, 30)}) == 20, "numbers without labels")


def colours_have_meanings(directory):
    """Meanings are far apart in CIELAB. The page has the same table, and the states of mpi.pcf have the colours."""
    sys.path.insert(0, str(PLOTS))
    import numpy as np
    from colors import lab_of
    from meanings import FREQUENT, MEANINGS, RULES, SHADES, color_of_meaning, meaning_of

    lab = lab_of(np.array([color_of_meaning(meaning) for meaning in MEANINGS.values()]))
    distance = np.linalg.norm(lab[:, None] - lab[None], axis=2)[np.triu_indices(len(lab), 1)]
    check(distance.min() > 20, f"CIELAB distance {distance.min()}")
    names = {"MPI_Waitall": "waiting", "MPI_Recv": "waiting", "MPI_Isend": "transfer", "MPI_Allreduce": "transfer",
             "MPI_Get": "transfer", "MPI_Get_count": "management", "MPI_Barrier": "synchronisation", "MPI_File_read": "I/O",
             "MPI_Send_init": "management", "MPI_Comm_dup": "management"}
    check({name: meaning_of(name, "mpi").name for name in names} == names, "meanings of functions")
    page = (ROOT / "src/sink/page/meanings.js").read_text()
    rows = re.findall(r'name: "([^"]+)", hue: (\d+), saturation: (\d+), light: (\d+)', page)
    check([(name, *map(int, rest)) for name, *rest in rows] == list(MEANINGS.values()), f"the page has {rows}")
    rules = re.findall(r'\[/(.+)/(i?), "([^"]+)"\]', page)
    ours = [(pattern.removeprefix("(?i)"), "i" if pattern.startswith("(?i)") else "", name) for kind in RULES.values() for pattern, name in kind]
    check(rules == ours, f"the page has the rules {rules}")
    words = " ".join(re.findall(r'"([^"]*)"', page[page.index("const frequent"):page.index('.split(" ")')])).split()
    check([f"MPI_{word}" for word in words] == FREQUENT, f"the page has {words}")
    paraver = dict(re.findall(r'\{"([^"]+)", "\{([\d,]+)\}"\}', (ROOT / "src/sink/paraver/mpi_side_files.cpp").read_text()))
    states = {"Running": "computation", "Waiting a message": "waiting", "Group Communication": "transfer", "I/O": "I/O",
              "Synchronization": "synchronisation", "Idle": "OpenMP idle", "Others": "management"}
    for state, name in states.items():
        wanted = ",".join(str(round(255 * part)) for part in color_of_meaning(MEANINGS[name]))
        check(paraver[state] == wanted, f"{state} is {paraver[state]} in mpi.pcf, not {wanted}")
    check(len(SHADES) == 40 and "[0, 13, -12, 6, -6]" in page and "[0, 14, -13, 24]" in page and "[0, -22]" in page, "shades")


def rows_fall_back_one_by_one(directory):
    """A row without a stream that can be read is the only one without a rank; outputs elsewhere have ranks of the report there."""
    trace = directory / "trace"
    shutil.copytree(MPI.parent / "trace", trace)
    done = subprocess.run([sys.argv[1], "--report", trace / "report.json", trace], capture_output=True, text=True)
    check(done.returncode == 0, done)
    outputs = directory / "outputs"
    outputs.mkdir()
    for file in (*trace.glob("thread.*"), trace / "report.json"):
        shutil.copy(file, outputs)
    (trace / "report.json").unlink()
    row = (trace / "thread.row").read_text().split("\n")
    (trace / "thread.row").write_text("\n".join(line + " (incomplete)" if line == row[-2] else line for line in row))
    sorted(trace.rglob("stream.json"))[0].write_text("{")
    labels = [line for line in run("summary", trace).stdout.splitlines() if "TH " in line]
    check(len(labels) == 4 and sum(label.startswith("rank ") for label in labels) == 3, labels)
    check(sum("(incomplete)" in label for label in labels) == 1, labels)
    labels = [line.split()[:2] for line in run("summary", outputs).stdout.splitlines() if "TH " in line]
    check(labels == [["rank", str(i)] for i in range(4)], labels)
    report = json.loads((outputs / "report.json").read_text())
    report["trace"]["duration"] += 1
    (outputs / "report.json").write_text(json.dumps(report))
    check("rank " not in run("summary", outputs).stdout, "a report of another run")


def rows_of_our_traces_have_their_names(directory):
    """Both readers take rank and host from the names, and add nothing to them."""
    trace = directory / "trace"
    shutil.copytree(MPI.parent / "trace", trace)
    for file in trace.rglob("stream.json"):
        stream = json.loads(file.read_text())
        stream["ovni"].update({"run": "job", "host": f"node{stream['ovni']['rank']}", "name": "solver"})
        file.write_text(json.dumps(stream))
    file = directory / "trace.h5"
    done = subprocess.run([sys.argv[1], "--hdf5", file, trace], capture_output=True, text=True)
    has_columns = "no HDF5" not in done.stderr
    if not has_columns:
        done = subprocess.run([sys.argv[1], trace], capture_output=True, text=True)
    check(done.returncode == 0, done)
    names = [line for line in (trace / "thread.row").read_text().splitlines() if "TH 1" in line]
    check(len(names) == 4 and all(name.startswith(f"rank {i} node{i} TH 1.") for i, name in enumerate(names)), names)
    check(all(name.endswith(" thread solver") for name in names), names)
    sys.path.insert(0, str(PLOTS))
    from prv import Trace

    check(Trace(trace / "thread.prv").labels == names, names)
    try:
        import h5py  # noqa: F401
    except ImportError:
        return
    from columns import Columns

    check(not has_columns or Columns(file).labels == names, names)


def containers_are_told_apart(directory):
    """Threads of one number in several containers are paired by order, unless one is missing."""
    sys.path.insert(0, str(PLOTS))
    from rows import from_streams

    labels = ["TH 1.7", "TH 1.9", "TH 1.7"]
    streams = [("loom.b", 7, 1, 2), ("loom.a", 7, 1, 0), ("loom.a", 9, 1, 1)]
    check(from_streams(labels, streams) == ["rank 0 loom.a TH 1.7", "rank 1 loom.a TH 1.9", "rank 2 loom.b TH 1.7"], "all are there")
    check(from_streams(labels, streams[1:]) == ["TH 1.7", "rank 1 loom.a TH 1.9", "TH 1.7"], "one is missing")
    named = ["rank 3 node0 TH 1.7 thread helper", "TH 1.9"]
    check(from_streams(named, streams) == [named[0], "rank 1 loom.a TH 1.9"], "a label that says it already")


def faults_are_one_line(directory):
    (directory / "thread.prv").write_text(SMALL)
    small = directory / "thread.prv"
    (directory / "torn.h5").write_bytes(b"\x89HDF\r\n\x1a\n and no more")
    for text, program, *words in (
        ("a directory, not a file of columns", "shares", directory),
        ("not a file of columns", "shares", small),
        ("not a file of columns", "matrix", small),
        ("'jpgx' is no format of pictures", "matrix", small, "-o", "x.jpgx"),
        ("No such file", "shares", directory / "nowhere.h5"),
        ("damaged", "shares", directory / "torn.h5"),
        ("'jpgx' is no format of pictures, but these: ", "timeline", small, "-o", "x.jpgx"),
        ("No such file", "timeline", small, "-o", directory / "no/x.png"),
        ("nothing from 5 s on, the trace ends at 0.0000001 s", "timeline", small, "--from", "5s"),
        ("nothing from 0.05 us to 20 ns", "timeline", small, "--from", "0.05us", "--to", "20"),
        ("nothing from 0 ns to 0 ns", "timeline", small, "--to", "0"),
        ("no row shows event type 77, but these: 4 (event type 4); 25 (event type 25)", "timeline", small, "-t", 77),
        ("no row shows event type 77, but these: 4 ", "durations", small, "-t", 77),
    ):
        done = run(program, *words)
        lines = done.stderr.splitlines()
        if any("h5py" in line for line in lines):
            continue
        check(done.returncode == 1 and len(lines) == 1 and lines[0].startswith(f"{program}: ") and text in lines[0], (text, done))
    check(run("timeline", small, "--width", 1).returncode == 2 and run("durations", small, "-n", 0).returncode == 2, "numbers out of range")


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


TESTS = (
    programs_start,
    summary_counts_time,
    timeline_draws_a_picture,
    many_values_leave_room,
    pictures_say_of_what,
    colours_belong_to_labels, colours_have_meanings,
    rows_are_named_by_rank,
    rows_fall_back_one_by_one,
    rows_of_our_traces_have_their_names,
    containers_are_told_apart,
    columns_say_the_same,
    shares_tell_applications_apart,
    matrix_counts_messages,
    a_part_is_that_of_the_emulator,
    faults_are_named,
    faults_are_one_line,
)


def main():
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot  # noqa: F401
    except ImportError as e:
        print(e)
        sys.exit(77)
    for test in TESTS:
        with tempfile.TemporaryDirectory() as directory:
            test(Path(directory))


if __name__ == "__main__":
    main()
