"""The part of a trace that a plot shows: options as those of ovniemu, which makes the outputs of the part for the plot."""
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from prv import TraceError

OPTIONS = {
    "--from": ("TIME", "show events from then on, such as 1.5ms"),
    "--to": ("TIME", "show events before that time"),
    "--region": ("NAME", "show what lies in this region of MPI_Pcontrol; NAME#3: in its third visit"),
    "--without": ("LIST", "Init, Finalize: leave out what lies before the one, behind the other"),
    "--ranks": ("LIST", "show only these ranks: 0,4-7"),
}


def add_options(parser, names=tuple(OPTIONS)):
    group = parser.add_argument_group("part of a trace", "TRACE is the directory of the streams then; ovniemu --help cut says what a part holds")
    for name in names:
        group.add_argument(name, dest=name[2:] + "_", metavar=OPTIONS[name][0], help=OPTIONS[name][1])


def words_of(args):
    """The options that were given, as words for ovniemu."""
    given = ((name, getattr(args, name[2:] + "_", None)) for name in OPTIONS)
    return [word for name, value in given if value is not None for word in (name, str(value))]


@contextmanager
def opened(path, words, open_it, needs_columns=False):
    """What open_it makes of `path` or, if there are words, of outputs of that part, which go with this context."""
    if not words:
        yield open_it(path)
        return
    if not Path(path).is_dir():
        raise TraceError(f"{path}: a part can be shown only of a directory of streams, as ovnirun makes it")
    with tempfile.TemporaryDirectory(prefix="ovni-plot.") as made:
        columns = f"{made}/trace.h5"
        emulate([*words, "-o", made, "--report", f"{made}/report.json", *(["--hdf5", columns] if needs_columns else []), str(path)])
        trace = open_it(columns if needs_columns else made)
        trace.source = f"{path} {' '.join(words)}"
        yield trace


def emulate(words):
    beside = Path(sys.argv[0]).parent / "ovniemu"
    program = str(beside) if beside.exists() else shutil.which("ovniemu")
    if not program:
        raise TraceError("ovniemu, which shows parts of traces, is not in PATH")
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line.split("ERROR: ", 1)[1] for line in done.stderr.splitlines() if "ERROR: " in line]
        raise TraceError(lines[0] if lines else f"ovniemu ended with status {done.returncode}")
