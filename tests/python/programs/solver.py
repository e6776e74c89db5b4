"""Regions of a program with mpi4py: each rank solves as often as its number says."""
import sys

import ovni
from mpi4py import MPI

world = MPI.COMM_WORLD


@ovni.region("assemble")
def assemble(size):
    return [world.rank] * size


@ovni.region
def reduce(values):
    return world.allreduce(sum(values))


with ovni.region("all"):
    values = assemble(10)
    for _ in range(world.rank):
        with ovni.region("solve"):
            values = [2 * value for value in values]
    with ovni.paused(), ovni.paused():
        assemble(1)
    total = reduce(values)
with ovni.region(f"rank {world.rank}"):
    ovni.flush()
ovni.measure_clocks()
print(total if world.rank == 0 else "", end="")
sys.exit(0)
