"""The case simulation: the model of ovniemu-mpi gets its constants from runs at 1 and 2 ranks, is compared with runs at 4 and
8 ranks on other traces, and says what emulations of whole machines take."""
import contextlib
import os

from emulation_model import Choices, Part, emulate
from model_constants import Measured, TINY, constants_of, link_of
from report import figures_of
from simulation import Machine
from whole_machines import START, whole_machines

MOST_ERROR = 0.15  # asked for: of wall times


def simulation(workshop, report):
    report.heading("simulation: constants, from runs at 1 and 2 ranks")
    if not workshop.programs.mpi:
        report.note("no MPI: skipped")
        return
    with contextlib.ExitStack() as stack:
        measured = Measured(workshop, stack)
    for (name, ranks), program in measured.programs.items():
        report.keep("simulation", name, ranks=ranks, counters=measured.costs[name, ranks], **figures_of(program))
    constants, link = constants_of(measured), link_of(workshop)
    report.table(["constant", "value"], [[name, with_unit(value)] for of in (constants, link) for name, value in vars(of).items()])
    report.keep("simulation", "constants", **vars(constants), link=vars(link))
    compare(report, measured, constants, link)
    whole_machines(report, constants)


def with_unit(value):
    return f"{value * 1e9:.3g} n" if 0 < value < 1e-2 else f"{value:.6g}"


def parts_of(shape, events):
    weights = range(1, shape.looms + 1) if shape.growing else [1] * shape.looms
    return [Part(events * weight / sum(weights), shape.streams / shape.looms) for weight in weights]


def compare(report, measured, constants, link):
    report.heading("simulation: predicted and measured, 4 and 8 ranks, on other traces")
    cores, errors, rows = len(os.sched_getaffinity(0)), [], []
    for name, ranks in measured.checked:
        parts = parts_of(measured.shapes[name], measured.events_of(name))
        predicted = emulate(Machine(cores, ranks, link), constants, parts, ranks, Choices(writer_thread=False))
        for counter, expected, found in counters(measured, name, ranks, predicted):
            error = expected / found - 1
            rows.append([f"{name}, {ranks} ranks: {counter}", expected, found, f"{error:+.1%}"])
            report.keep("simulation", name, ranks=ranks, counter=counter, predicted=expected, measured=found)
            if counter == "wall, s":
                errors.append(abs(error))
    report.table(["counter", "predicted", "measured", "error"], rows)
    report.note("times are the shortest of the rounds; user + sys: without waiting, which polls while a core is free")
    report.goal("simulation", "largest error of a wall time at most", f"{max(errors):.1%}", f"{MOST_ERROR:.0%}", max(errors) <= MOST_ERROR)


def counters(measured, name, ranks, predicted):
    yield "wall, s", predicted.wall, measured.wall(name, ranks)
    if measured.shapes[name].streams == TINY.streams and name != "start alone":
        start = sum(predicted.phases[phase] for phase in START)
        yield "its windows alone, s", predicted.wall - start, measured.wall(name, ranks) - measured.wall("start alone", ranks)
    yield "user + sys, s", predicted.work, measured.least(name, ranks, "cpu")
    yield "user + sys of the busiest rank, s", predicted.busiest, measured.work(name, ranks)
    for counter, expected, unit in (("windows", predicted.windows, 1), ("collectives", predicted.collectives, 1),
                                    ("messages", predicted.messages, 1), ("bytes_sent", predicted.bytes_sent, 1e6),
                                    ("records_written", predicted.records_written, 1),
                                    ("bytes_written", predicted.bytes_of_phase["write"], 1e6)):
        yield f"{counter}, MB" if unit > 1 else counter, expected / unit, measured.mean(name, ranks, counter) / unit
    yield "peak_memory, MB", predicted.memory / 1e6, measured.most(name, ranks, "peak_memory") / 1e6
