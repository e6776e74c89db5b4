"""Breakdown outputs: one value per physical CPU of the system, sorted over all of them at every change."""

from channels import ALLOW_DUP, Mux, Single
from tables import BREAKDOWN_FLAGS

UNKNOWN_SUBSYSTEM = 2
PROGRESSING = 100


class Sort:
    """Sorted values of a row of inputs; an output channel changes only when its value does."""

    def __init__(self, propagation, count):
        self.current = [0] * count
        self.outputs = [Single(propagation, f"sorted {k}", ALLOW_DUP, dirty_write=True) for k in range(count)]

    def connect(self, k, channel):
        channel.dirty_callbacks.append(lambda: self.on_input(k, channel.read() or 0))

    def on_input(self, k, value):
        if value == self.current[k]:
            return
        self.current[k] = value
        for output, ordered in zip(self.outputs, sorted(self.current)):
            if output.read() != ordered:
                output.set(ordered)


class Breakdown:
    def __init__(self, emulation, spec, prv_type, title):
        self.propagation = emulation.propagation
        self.spec, self.prv_type, self.title = spec, prv_type, title
        self.cpus = [cpu for cpu in emulation.system.cpus if not cpu.virtual]
        self.output = emulation.open_output(f"{spec.name}-breakdown", len(self.cpus))
        self.indices = {channel.name: index for index, channel in enumerate(spec.channels)}

    def connect(self, group):
        sort = Sort(self.propagation, len(self.cpus))
        for k, cpu in enumerate(self.cpus):
            tracks = {name: group.cpu_tracks[cpu.gindex][index] for name, index in self.indices.items()}
            sort.connect(k, self.final(tracks))
            self.output.bind(k, self.prv_type, sort.outputs[k], BREAKDOWN_FLAGS)

    def finish(self, add_task_types):
        pcf = self.output.pcf
        pcf.add_type(self.prv_type, self.title)
        for name in self.labelled:
            for value, label in self.spec.channels[self.indices[name]].values:
                pcf.add_value(self.prv_type, value, label)
        rows = self.output.rows
        self.output.labels = [f"~CPU {rows - row:4d}" for row in range(rows)]
        add_task_types(pcf, self.prv_type)


class RuntimeBreakdown(Breakdown):
    """Idle state, else the type of the task in a body, else the subsystem."""

    labelled = ("subsystem", "idle")

    def __init__(self, emulation, spec, prv_type, title, in_body):
        super().__init__(emulation, spec, prv_type, title)
        self.in_body = in_body

    def final(self, tracks):
        subsystem, task_type, idle = tracks["subsystem"], tracks["task_type"], tracks["idle"]

        def choose(value):
            if value == self.in_body and task_type.read() is not None:
                return task_type
            return None if value is None else subsystem

        task = Mux(self.propagation, "task or subsystem", subsystem, choose, UNKNOWN_SUBSYSTEM).output
        choose_idle = lambda value: task if value == PROGRESSING else idle
        return Mux(self.propagation, "idle or task", idle, choose_idle).output


class SimpleBreakdown(Breakdown):
    """The label, else the subsystem."""

    labelled = ("subsystem",)

    def final(self, tracks):
        label, subsystem = tracks["label"], tracks["subsystem"]
        choose = lambda value: subsystem if value is None else label
        return Mux(self.propagation, "label or subsystem", label, choose).output
