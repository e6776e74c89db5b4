"""One trace through one emulator in several ways: alone, with threads, with ranks. All must say and write the same."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

SECONDS_TO_END = 120
# One rank tells these of itself, of its machine, or of the way in which the work is shared.
ABOUT_ITSELF = re.compile(r": INFO: (it took |processed |.* done at avg |.*\branks or threads have work|.*\bfewer are faster)"
                          r"|-j \d+: the trace has|^\s*$|^-{20,}$|Primary job|mpirun detected|Process name:|Exit code:|per user-direction")
OUTPUTS = {"report": "report.json", "hdf5": "columns.h5", "perfetto": "trace.pftrace", "otf2": "archive", "paje": "trace.paje",
           "html": "page.html"}


class Way:
    """How the emulation is shared, and what a run of it left."""

    def __init__(self, name, command, environment):
        self.name, self.command, self.environment = name, command, environment

    def run(self, options, trace, directory):
        directory.mkdir()
        words = [*self.command, *options, "-o", "out", str(trace)]
        process = subprocess.Popen(words, cwd=directory, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=SECONDS_TO_END)
            self.status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.status = f"none after {SECONDS_TO_END} s"
        self.lines = sorted(filter(None, map(comparable, (out + err).decode(errors="replace").splitlines())))
        self.files = {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def comparable(line):
    """A line of an emulator without its name, or nothing if ranks may differ in it."""
    return "" if ABOUT_ITSELF.search(line) else re.sub(r"^ovniemu(-mpi)?: ", "", line)


def ways(build, threads, ranks, window):
    shared = {}
    if window:
        shared = {"OVNI_TEST_WINDOW": str(window), "OVNI_TEST_WRITER": "thread"}
    serial, distributed = str(build / "bin/ovniemu"), str(build / "bin/ovniemu-mpi")
    return [Way("-j 1", [serial, "-j", "1"], {}),
            Way(f"-j {threads}", [serial, "-j", str(threads)], shared),
            Way(f"{ranks} ranks", ["mpirun", "-q", "-n", str(ranks), distributed], shared)]


def differences(one, other):
    """What a way does otherwise than the first; a line for each."""
    if one.status != other.status:
        yield f"the status is {one.status} with {one.name}, and {other.status} with {other.name}"
    for name in sorted(one.files.keys() | other.files.keys()):
        if name not in one.files or name not in other.files:
            yield f"{name} is there only with {(one if name in one.files else other).name}"
        elif one.files[name] != other.files[name]:
            yield f"{name} differs between {one.name} and {other.name}"
    for way, lacking in ((one, other), (other, one)):
        for line in way.lines:
            if way.lines.count(line) != lacking.lines.count(line):
                yield f"{way.name} prints it another number of times than {lacking.name}: {line}"


def findings(build, trace, options, threads, ranks, window):
    """What is wrong with the emulations of a trace, and the ways' runs."""
    directory = Path(tempfile.mkdtemp(prefix="ovni-ranks-"))
    try:
        runs = ways(build, threads, ranks, window)
        for number, way in enumerate(runs):
            way.run(options, trace, directory / str(number))
        found = [f"the status is {way.status} with {way.name}" for way in runs if way.status not in (0, 1)]
        for other in runs[1:]:
            found += differences(runs[0], other)
        return found, runs[0]
    finally:
        shutil.rmtree(directory)
