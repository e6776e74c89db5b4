"""What a value means for the run, and the colour of each meaning: the table of src/sink/page/meanings.js, which the tests compare."""
import colorsys
import re
from functools import lru_cache
from typing import NamedTuple


class Meaning(NamedTuple):
    name: str
    hue: int  # degrees
    saturation: int  # percent
    light: int  # percent


MEANINGS = {
    meaning.name: meaning
    for meaning in (
        Meaning("computation", 205, 50, 72),
        Meaning("waiting", 355, 72, 52),
        Meaning("transfer", 36, 85, 50),
        Meaning("synchronisation", 282, 48, 50),
        Meaning("I/O", 160, 65, 36),
        Meaning("OpenMP idle", 20, 22, 68),
        Meaning("management", 215, 14, 50),
    )
}

# The first pattern that fits a label decides; the keys are kinds of labels.
RULES = {
    "mpi": [
        ("^MPI_File_", "I/O"),
        ("_init(_c)?$", "management"),
        ("(?i)^MPI_(Wait|Test|(I?m)?probe|Iprobe|Recv(_c)?$|Mrecv)", "waiting"),
        ("(?i)^MPI_(I?barrier|Win_(fence|lock|unlock|flush|sync|post|start|complete|wait|test))", "synchronisation"),
        ("(?i)^MPI_(I?[bsr]?send|Irecv|Imrecv|Start|Pready|I?(allgather|allreduce|alltoall|bcast|reduce|gather|scatter|scan|exscan|neighbor))",
         "transfer"),
        ("(?i)^MPI_(R?(put|get|get_accumulate|accumulate)(_c)?$|Fetch_and_op|Compare_and_swap)", "transfer"),
        ("^MPI_", "management"),
    ],
    "lock": [(".", "synchronisation")],
    "openmp": [
        ("^(Barrier: [^R]|Runtime: Worker main loop|Task: Task(group|wait))", "OpenMP idle"),
        ("^Critical: (Acquiring|Releasing)", "synchronisation"),
        ("^Runtime: (Fork|Init)", "management"),
        (".", "computation"),
    ],
    "task": [
        ("(?i)(wait|hungry|idle|resting|pause|barrier|join|lock)", "waiting"),
        ("(?i)(running|body)", "computation"),
        (".", "management"),
    ],
}
KIND_OF_TYPE = {25: "mpi", 310: "lock", 50: "openmp", 37: "task", 13: "task"}

FREQUENT = [
    f"MPI_{name}"
    for name in (
        "Init Send Recv Allreduce Waitall Barrier Isend Irecv Wait Bcast Finalize Sendrecv Reduce Alltoall Allgather Gather Scatter "
        "Init_thread Test Testall Waitany Iprobe Probe Scan Ssend Alltoallv Allgatherv Gatherv Reduce_scatter Put Get Win_fence"
    ).split()
]
# Hue, saturation and lightness of a shade, as differences to those of its meaning. The first ones differ most.
SHADES = [(turn, pale, light) for turn in (0, 13, -12, 6, -6) for pale in (0, -22) for light in (0, 14, -13, 24)]


def meaning_of(label, kind):
    return next((MEANINGS[name] for pattern, name in RULES[kind] if re.search(pattern, label)), MEANINGS["management"])


def hash_of(text):
    value = 7
    for letter in text:
        value = (value * 31 + ord(letter)) % 9973
    return value


@lru_cache
def shades_of(labels, kind):
    """The place in SHADES of each label: frequent functions have theirs, the others the next free one from their hash on."""
    found = {}
    for meaning in MEANINGS.values():
        alike = [name for name in FREQUENT if meaning_of(name, "mpi") is meaning]
        rest, taken = len(SHADES) - len(alike), set()
        for label in sorted(label for label in labels if meaning_of(label, kind) is meaning):
            places = [len(alike) + (hash_of(label) + i) % rest for i in range(rest)]
            found[label] = alike.index(label) if label in alike else next((place for place in places if place not in taken), places[0])
            taken.add(found[label])
    return found


def color_of_meaning(meaning, shade=(0, 0, 0)):
    """Red, green and blue, 0 to 1."""
    hue, saturation, light = (part + by for part, by in zip(meaning[1:], shade))
    return colorsys.hls_to_rgb(hue % 360 / 360, min(max(light, 0), 92) / 100, min(max(saturation, 0), 100) / 100)


def color_of_label(label, labels, kind):
    return color_of_meaning(meaning_of(label, kind), SHADES[shades_of(labels, kind).get(label, 0)])
