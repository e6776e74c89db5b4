#!/usr/bin/python3
"""simulation.py: the model of ovniemu-mpi in scripts/benchmark, against what can be computed by hand."""
import sys
from dataclasses import replace
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/benchmark"))

from emulation_model import Choices, Constants, Emulation, Part, WINDOW, deal  # noqa: E402
from simulation import Engine, FileSystem, Link, Machine, Meeting, Servers, Storage  # noqa: E402

LINK = Link(latency=10.0, overhead=1.0, gap=3.0, per_byte=0.5)
STORAGE = Storage(targets=4, bytes_per_second=1e9, stripe=1000, request=0.0, round_trip=1e-4, calls=1e5)
NODE = Machine(cores=4, ranks_of_node=1, link=Link(1e-6, 1e-6, 1e-6, 1e-10), storage=replace(STORAGE, stripe=100_000), spread=0.02, jitter=0.1)


def check(ok, what):
    if not ok:
        sys.exit(f"failed: {what}")


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def collectives_cost_what_loggp_says():
    check(LINK.message(4) == 10 + 2 + 2, "a message")
    check(LINK.allgather(8, 4) == 3 * 12 + 7 * 4 * 0.5, "three rounds, seven parts")
    check(LINK.allreduce(5, 4) == 3 * 14, "three rounds for five ranks")
    check(LINK.broadcast(8, 1000) == 2 * (3 * 12 + 500), "what is long is scattered first")
    check(LINK.gather(4, 12) == 10 + 3 * 3 + 6, "one message after the other")
    check(LINK.exchange(3, 12) == 10 + 3 * 3 + 6, "the gap is longer than both overheads")
    check(LINK.alltoall(8, 1) == min(3 * (12 + 2), 10 + 7 * 3 + 3.5), "Bruck or pairs")
    check(LINK.allgather(1, 100) == LINK.allreduce(1, 0) == LINK.exchange(0, 0) == 0, "nothing alone")


def last_one_ends_a_meeting():
    engine, left = Engine(), []
    meeting = Meeting(engine, 3, lambda: 2.0)

    def process(arrival):
        yield arrival
        yield meeting
        left.append(engine.now)
    for arrival in (5.0, 1.0, 3.0):
        engine.start(process(arrival))
    engine.run()
    check(left == [7.0] * 3, left)


def servers_serve_in_turn():
    engine, done = Engine(), []
    cores = Servers(engine, 2)

    def process():
        yield cores.serve(1.0)
        done.append(engine.now)
    for _ in range(5):
        engine.start(process())
    engine.run()
    check(done == [1.0, 1.0, 2.0, 2.0, 3.0], done)


def a_file_lies_in_stripes_on_all_targets():
    files = FileSystem(Engine(), STORAGE, files=1)
    check(near(files.write(0, 500, 2000), 1e-6), "half, whole and half a stripe on three targets")
    check([near(target.busy, busy) for target, busy in zip(files.targets, (5e-7, 1e-6, 5e-7, 0.0))] == [True] * 4, "busy")


def heaviest_part_is_dealt_first():
    events, streams = deal([Part(e, 1) for e in (1, 2, 3, 4, 5)], 2)
    check(sorted(events) == [7, 8] and sum(streams) == 5, events)


def emulation(ranks, events, seed=1, **options):
    return Emulation(NODE, Constants(), [Part(events, 4)] * ranks, ranks, seed=seed, **options)


def a_seed_decides_all():
    walls = [emulation(16, 1e6, seed).run().wall for seed in (1, 1, 2)]
    check(walls[0] == walls[1] != walls[2], walls)


def all_that_is_made_is_written():
    for ranks in (1, 3, 16):
        model = emulation(ranks, 1e6, most_windows=1000)
        result = model.run()
        written = ranks * result.bytes_of_phase["write"]
        read = ranks * result.bytes_of_phase["read"]
        check(near(sum(model.slices) * model.windows, ranks * 1e6), "slices are a part of the records")
        check(abs(model.files.moved - written - read) < 4 * ranks * result.windows, (ranks, model.files.moved, written, read))


def phases_are_the_wall_time():
    for ranks in (1, 3, 16):
        model = emulation(ranks, 1e6, most_windows=1000)
        result = model.run()
        check(model.windows == model.simulated and near(result.wall, model.engine.now), (ranks, result.wall, model.engine.now))


def some_windows_stand_for_all():
    all_of_them, some = (emulation(8, 2e6, most_windows=most).run().wall for most in (1000, 16))
    check(abs(some / all_of_them - 1) < 0.05, (all_of_them, some))


def stragglers_are_waited_for():
    even = Emulation(NODE, Constants(), [Part(1e6, 4)] * 4, 4).run()
    uneven = Emulation(NODE, Constants(), [Part(3.4e6, 4)] + [Part(2e5, 4)] * 3, 4).run()
    check(uneven.windows > 3 * even.windows and uneven.phases["agree"] > 10 * even.phases["agree"], uneven.phases)


def larger_windows_make_larger_messages():
    choices = Choices(message=8192)
    check(choices.window(4) == WINDOW and choices.window(4096) * 32 // 4096 == 8192, "window")
    check(emulation(256, 1e6, choices=choices).run().message_bytes > emulation(256, 1e6).run().message_bytes, "message")


for test in (collectives_cost_what_loggp_says, last_one_ends_a_meeting, servers_serve_in_turn, a_file_lies_in_stripes_on_all_targets,
             heaviest_part_is_dealt_first, a_seed_decides_all, all_that_is_made_is_written, phases_are_the_wall_time,
             some_windows_stand_for_all, stragglers_are_waited_for, larger_windows_make_larger_messages):
    test()
