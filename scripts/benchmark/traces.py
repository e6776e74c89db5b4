"""The traces that are measured, in a directory on a tmpfs that goes away with everything in it."""
import contextlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure import BenchError, Program, run_once

BYTES_OF_EVENT = 16 + 120  # in a stream, and at most in the outputs


@dataclass(frozen=True)
class Shape:
    looms: int
    threads: int
    events: int
    mix: str = "mix"
    pending: int = 1    # of messages: see bench-trace --help
    processes: int = 1  # of a loom, each with so many threads
    growing: bool = False  # looms have events as 1 : 2 : 3 ...

    @property
    def streams(self):
        return self.looms * self.processes * self.threads

    @property
    def name(self):
        amount = f"{self.events / 1e6:g}M" if self.events >= 100_000 else str(self.events)
        pending = f" pending {self.pending}" if self.pending != 1 else ""
        return f"{self.mix} {self.streams} {amount}{pending}"

    @property
    def directory(self):
        """Another one for each shape."""
        options = "-growing" if self.growing else ""
        return f"{self.name.replace(' ', '-')}-{self.looms}x{self.processes}{options}"


@dataclass
class Trace:
    shape: Shape
    path: Path
    models: str
    in_bytes: int = 0
    out_bytes: int = 0
    like: Path = None


class Workshop:
    def __init__(self, parent, programs, options):
        self.programs, self.options = programs, options
        self.scale = 16 if options.quick else 1
        known = programs.models()
        self.models = options.models or ",".join(m for m in ("ovni", "mpi", "nosv") if m in known)
        self.task_models = [m for m in ("nosv", "nanos6") if m in known and m in (options.models or m)]
        self.folder = None
        self._parent = parent

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ovni-bench-", dir=self._parent))
        return self

    def __exit__(self, *_):
        if not self.options.keep:
            shutil.rmtree(self.folder)

    @contextlib.contextmanager
    def fresh(self, name):
        path = self.folder / name
        path.mkdir()
        try:
            yield path
        finally:
            shutil.rmtree(path)

    @contextlib.contextmanager
    def trace(self, shape):
        """A trace with the sizes of its output, as long as the context lasts."""
        self._check_space(shape)
        models = self.task_models[0] if shape.mix == "tasks" else self.models
        path = self.folder / shape.directory
        if path.exists():
            shutil.rmtree(path)
        words = [self.programs.need("bench-trace"), "--looms", shape.looms, "--events", shape.events, "--mix", shape.mix, path]
        if shape.mix == "messages":  # a thread is a rank
            words += ["--ranked", "--processes", shape.threads, "--threads", 1, "--pending", shape.pending]
        else:
            words += ["--processes", shape.processes, "--threads", shape.threads, "--models", models]
        if shape.growing:
            words.append("--growing")
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchError(done.stderr.strip())
        trace = Trace(shape, path, models)
        trace.in_bytes = sum(file.stat().st_size for file in path.rglob("stream.obs"))
        try:
            yield trace
        finally:
            if not self.options.keep:
                shutil.rmtree(path)

    @contextlib.contextmanager
    def emulated_trace(self, shape):
        """The same, and a directory `like` that looks like the emulator's output of it, without its content."""
        with self.trace(shape) as trace, self.fresh("like") as like:
            run_once(self, Program("", [self.programs.need("ovniemu"), "-o", str(like), str(trace.path)]))
            for name in ("thread.prv", "cpu.prv"):
                file = like / name
                size = file.stat().st_size
                trace.out_bytes += size
                # The header and a hole.
                with file.open("rb") as lines:
                    header = lines.readline()
                os.truncate(file, len(header))
                os.truncate(file, size)
            trace.like = like
            yield trace

    def has_space(self, events):
        return shutil.disk_usage(self.folder).free >= events * BYTES_OF_EVENT

    def _check_space(self, shape):
        if not self.has_space(shape.events):
            raise BenchError(f"{self.folder} has no room for '{shape.name}': {shape.events * BYTES_OF_EVENT >> 20} MiB")
