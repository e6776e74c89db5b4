"""Runs programs and takes their times and memory."""
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
LONGEST = 600  # seconds for one run


class BenchError(Exception):
    pass


class Programs:
    """The programs of a build tree, and what they can do."""

    def __init__(self, build):
        self.build_dir = Path(os.environ.get("OVNI_BUILD_DIR", SOURCE / "build-bench")).resolve()
        if build:
            self._build()
        self._help = {}
        # The script that all others source knows what mpirun needs here.
        shell = subprocess.run(["bash", "-c", ". scripts/environment; env -0"], cwd=SOURCE, capture_output=True, text=True, check=True)
        self.environment = dict(line.split("=", 1) for line in shell.stdout.split("\0") if line)

    def _build(self):
        # Warnings are no errors here: at this level of optimisation the compiler has false ones.
        for words in ([SOURCE / "scripts/setup", "--tests"], ["cmake", "-S", SOURCE, "-B", self.build_dir, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DOVNI_DEVELOPER=OFF", "-DOVNI_TESTS=ON"],
                      ["cmake", "--build", self.build_dir, "--target", "bench"]):
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise BenchError(f"the build failed:\n{done.stdout}")

    def path(self, name):
        for folder in ("bin", "bench"):
            if (path := self.build_dir / folder / name).exists():
                return str(path)
        return None

    def need(self, name):
        if path := self.path(name):
            return path
        raise BenchError(f"{name} is missing in {self.build_dir}")

    def help_of(self, name):
        if name not in self._help:
            path = self.path(name)
            self._help[name] = subprocess.run([path, "--help"], capture_output=True, text=True).stdout if path else ""
        return self._help[name]

    def has_option(self, name, option):
        return re.search(rf"(^|\s){re.escape(option)}\b", self.help_of(name)) is not None

    def models(self):
        """Those that the emulator knows: lines `  V  nosv  2.7.0` of its help."""
        return re.findall(r"^  \S  (\w+) +[\d.]+$", self.help_of("ovniemu"), re.MULTILINE)

    def of_families(self, name):
        """The program by the family of MPI that it is built for, as far as the build has them."""
        paths = {family: self.path(f"{name}-{family}") for family in ("openmpi", "mpich")}
        return {family: path for family, path in paths.items() if path}

    @staticmethod
    def launcher(family):
        return shutil.which(f"mpirun.{family}") or "mpirun"

    @property
    def mpi(self):
        return bool(self.path("ovniemu-mpi") and shutil.which("mpirun"))


@dataclass
class Sample:
    """One run: seconds, and KiB of the largest process. Of an MPI program user and system time are those of the
    ranks together, and rank_wall is the longest of the ranks, without mpirun's own work; rank_cpu is the user and
    system time of the busiest."""
    wall: float
    user: float
    system: float
    peak_kib: int
    rank_wall: float
    rank_cpu: float = 0.0

    @property
    def cpu(self):
        return self.user + self.system


@dataclass
class Program:
    """A program to time. `words` are the command's, with {out} for a fresh directory."""
    name: str
    words: list
    ranks: int = 0
    samples: list = field(default_factory=list)

    def median(self, what):
        return statistics.median(getattr(sample, what) for sample in self.samples)

    def times(self, other, what):
        """Median over the rounds of how many times the other one's in the same round."""
        pairs = zip(self.samples, other.samples)
        return statistics.median(getattr(a, what) / max(getattr(b, what), 1e-6) for a, b in pairs)

    def spread(self):
        walls = [sample.wall for sample in self.samples]
        return (max(walls) - min(walls)) / statistics.median(walls)


class Started:
    """A process group that ends with the object."""

    def __init__(self, words, environment):
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.errors, start_new_session=True)
        self.words = words

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        self.errors.close()

    def finish(self):
        try:
            if self.process.wait(LONGEST) == 0:
                return
        except subprocess.TimeoutExpired:
            raise BenchError(f"still not done after {LONGEST} s: {' '.join(self.words)}") from None
        self.errors.seek(0)
        tail = "".join(self.errors.readlines()[-5:])
        raise BenchError(f"status {self.process.returncode} of {' '.join(self.words)}\n{tail}")


def run_together(programs, commands, folder):
    """Runs them at the same time and returns a Sample of each. commands: words and number of ranks (0: no MPI)."""
    measure = programs.need("measure")
    notes = [(folder / f"note.{i}", folder / f"ranks.{i}") for i in range(len(commands))]
    started = []
    try:
        for (words, ranks), (whole, each) in zip(commands, notes):
            if ranks:
                words = ["mpirun", "-n", str(ranks), measure, str(each), *words]
            started.append(Started([measure, str(whole), *words], programs.environment).__enter__())
        for process in started:
            process.finish()
    finally:
        for process in started:
            process.__exit__()
    return [sample_of(whole, each) for whole, each in notes]


def sample_of(whole_note, rank_notes):
    whole = take_notes(whole_note)[0]
    parts = take_notes(rank_notes) or [whole]
    return Sample(whole["wall"], sum(p["user"] for p in parts), sum(p["sys"] for p in parts),
                  max(p["peak_kib"] for p in parts), max(p["wall"] for p in parts),
                  max(p["user"] + p["sys"] for p in parts))


def take_notes(path):
    if not path.exists():
        return []
    notes = [json.loads(line) for line in path.read_text().splitlines()]
    path.unlink()
    return notes


def run_once(workshop, program):
    """One run with a fresh output directory, which is removed outside of the timed part."""
    with workshop.fresh("out") as out:
        words = [word.format(out=out) for word in program.words]
        return run_together(workshop.programs, [(words, program.ranks)], workshop.folder)[0]


def rounds(workshop, programs):
    """A warm-up of each, then interleaved rounds."""
    for program in programs:
        run_once(workshop, program)
    for _ in range(workshop.options.runs):
        for program in programs:
            program.samples.append(run_once(workshop, program))
