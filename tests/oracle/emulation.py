"""The emulator: all phases from a loaded trace to the outputs."""

import os

import offsets
import region_sort
import streams as stream_files
from channels import Propagation
from errors import Rejected, require
from machine import Machine
from metadata import find, parse_version
from model import Kernel, Mpi, Nodes, Tampi
from outputs import Output, Time
from ovni_model import Ovni
from player import Player
from system import System
from tables import MODELS
from task_models import Nanos6, Nosv, Openmp

CLASSES = {"6": Nanos6, "D": Nodes, "K": Kernel, "M": Mpi, "O": Ovni, "P": Openmp, "T": Tampi, "V": Nosv}


class Emulation:
    """Refuses, by an exception, what is rejected before the first event; `run` collects later errors."""

    def __init__(self, trace, options):
        self.options = options
        self.errors = []
        self.complete = False
        streams = stream_files.load(trace)
        if options.sort:
            for stream in streams:
                region_sort.sort_stream(stream)
        self.system = System(streams)
        offsets.apply(self.system, streams, trace, options.offsets)
        self.time = Time()
        self.propagation = Propagation()
        self.outputs = {}
        self.open_output("cpu", len(self.system.cpus))
        self.open_output("thread", len(self.system.threads))
        tolerate_crowded = options.tolerate_crowded and not options.lint
        self.machine = Machine(self.system, self.propagation, self.outputs, tolerate_crowded)
        self.player = Player(streams, options.order)
        self.models = {spec.id: CLASSES[spec.id](self, spec) for spec in MODELS if self.is_enabled(spec)}
        for model in self.models.values():
            model.create()
        for model in self.models.values():
            model.connect()
        self.propagation.run()

    def open_output(self, name, rows):
        self.outputs[name] = Output(name, rows, self.time)
        return self.outputs[name]

    def is_enabled(self, spec):
        wanted = False
        for thread in self.system.threads:
            needed = find(thread.meta, "ovni.require")
            require(isinstance(needed, dict), f"thread {thread.tid}: no ovni.require")
            if isinstance(needed.get(spec.name), str):
                major, minor, _ = parse_version(needed[spec.name])
                have_major, have_minor, _ = spec.version
                compatible = major == have_major and minor <= have_minor
                require(compatible, f"thread {thread.tid}: unsupported {spec.name} version {needed[spec.name]}")
                wanted = True
        return wanted or spec.name == "ovni" or self.options.all_models

    def run(self):
        try:
            while (stream := self.player.next()) is not None:
                self.play(stream)
            self.complete = True
        except Rejected as error:
            self.errors.append(str(error))
        for model in self.models.values():
            try:
                model.finish()
            except Rejected as error:
                self.errors.append(str(error))

    def play(self, stream):
        thread, event = stream.thread, stream.event
        try:
            require(thread is not None, "stream of nobody")
            self.time.now = self.player.time
            model = self.models.get(event.mcv[0])
            require(model is not None, f"model {event.mcv[0]} is not enabled")
            model.event(thread, event, self.time.now)
            self.propagation.run()
        except Rejected as error:
            where = f"{stream.relative_path}:{event.begin}: {event.mcv} at {event.raw_clock}"
            raise Rejected(f"{where}: {error}") from None

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        outputs = list(self.outputs.values())
        for k, output in enumerate(outputs):
            try:
                output.close(folder)
            except Rejected as error:
                self.errors.append(str(error))
                for unfinished in outputs[k + 1 :]:
                    unfinished.leave_unfinished(folder)
                return


def emulate(trace, folder, options):
    """Errors found, in order; none for an accepted trace."""
    try:
        emulation = Emulation(trace, options)
    except Rejected as error:
        return [str(error)]
    emulation.run()
    emulation.write(folder)
    return emulation.errors
