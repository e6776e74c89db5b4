"""Traces that are as programs leave them, in memory: dictionaries from the name of a file to its bytes. Which trace a
`random.Random` chooses follows from it alone."""
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded.tar.xz"
sys.path.insert(0, str(HERE.parent / "oracle"))

import mpi_traces  # noqa: E402
from damaged_traces import Stream  # noqa: E402
from random_shapes import shape_of  # noqa: E402


def files_below(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def write_files(files, directory):
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def of_the_reference(dice, _):
    """One of the traces of the reference library, or some of them as looms of one program."""
    cases = sorted((HERE.parent / "golden/cases").glob("*/trace"))
    chosen = [files_below(case) for case in dice.sample(cases, dice.choice((1, 2, 2, 3)))]
    return chosen[0] if len(chosen) == 1 else joined(chosen)


def joined(traces):
    """Each has looms of its own, and begins with the others."""
    all_files = {}
    for number, files in enumerate(traces):
        streams = {name: Stream(content) for name, content in files.items() if name.endswith("stream.obs")}
        begin = min((stream.events[0][2] for stream in streams.values() if stream.events), default=0)
        for name, content in files.items():
            if name in streams:
                events = streams[name].events
                events[:] = [(flags, code, clock - begin + 1000, rest) for flags, code, clock, rest in events]
                content = streams[name].content()
            elif name.endswith("stream.json"):
                document = json.loads(content)
                document["ovni"]["loom"] = f"{number}{document['ovni']['loom']}"
                document["ovni"]["app_id"] = number + 1
                for member in ("rank", "nranks"):
                    document["ovni"].pop(member, None)
                content = json.dumps(document).encode()
            all_files[name.replace("loom.", f"loom.{number}", 1)] = content
    return all_files


def random_states(dice, build):
    """States of many models, with looms, threads and CPUs of any number."""
    return made(lambda directory: subprocess.run(
        [build / "bin/random-trace", *shape_of(dice.randrange(1 << 30))[0], directory], check=True))


def random_messages(dice, _):
    """A program of MPI with messages, requests, collectives and regions."""
    return made(lambda directory: mpi_traces.write(dice.randrange(1 << 30), dice.choice((10, 40, 120)), directory))


def made(make):
    directory = Path(tempfile.mkdtemp())
    try:
        make(directory)
        return files_below(directory)
    finally:
        shutil.rmtree(directory)


def recorded(dice, _):
    """A program that this library recorded: each directory of the archive is a trace."""
    with tarfile.open(RECORDED) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
    program = dice.choice(sorted({name.split("/")[0] for name in files}))
    return {name.split("/", 1)[1]: content for name, content in files.items() if name.startswith(program + "/")}


SOURCES = (of_the_reference, random_states, random_messages, recorded)


def whole_trace(dice, build):
    source = dice.choice(SOURCES)
    return source.__name__, source(dice, build)
