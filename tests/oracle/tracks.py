"""Model channels and what rows show of them: raw channels of threads, thread tracks and CPU tracks, wired in the
reference's order."""

from channels import Mux, Single, Stack
from machine import CROWDED, STATES_SHOWN

KINDS = {"single": Single, "stack": Stack}
CROWDED_VALUE = 777


class ChannelGroup:
    """Channels of one kind of thing (a model, its marks, its counters): one set per thread, one per CPU."""

    def __init__(self, emulation, specs):
        self.emulation, self.specs = emulation, specs
        self.raw = [[self.raw_channel(thread, spec) for spec in specs] for thread in emulation.system.threads]
        self.cpu_tracks = []

    def raw_channel(self, thread, spec):
        name = f"{spec.name} of thread {thread.tid}"
        return KINDS[spec.kind](self.emulation.propagation, name, spec.duplicates)

    def of(self, thread, index):
        return self.raw[thread.gindex][index]

    def connect(self):
        system, outputs = self.emulation.system, self.emulation.outputs
        tracks = [[self.thread_track(thread, k) for k in range(len(self.specs))] for thread in system.threads]
        self.publish(outputs["thread"], tracks, [spec.title_thread for spec in self.specs])
        inputs = {loom: self.cpu_inputs(loom) for loom in system.looms}
        self.cpu_tracks = [
            [self.cpu_track(cpu, k, inputs[cpu.loom][k]) for k in range(len(self.specs))] for cpu in system.cpus
        ]
        self.publish(outputs["cpu"], self.cpu_tracks, [spec.title_cpu for spec in self.specs])

    def publish(self, output, tracks, titles):
        for row, channels in enumerate(tracks):
            for channel, spec in zip(channels, self.specs):
                output.bind(row, spec.prv_type, channel, spec.flags)
        for spec, title in zip(self.specs, titles):
            output.pcf.add_type(spec.prv_type, title, spec.values)

    def thread_track(self, thread, k):
        raw, spec = self.of(thread, k), self.specs[k]
        if spec.thread_track == "any":
            return raw
        shown = STATES_SHOWN[spec.thread_track]
        choose = lambda state: raw if state in shown else None
        return Mux(self.emulation.propagation, f"track of {raw.name}", thread.channels["state"], choose).output

    def cpu_inputs(self, loom):
        """Per channel, its inputs by the value of th_running. Only threads of the loom ever run there."""
        crowded = Single(self.emulation.propagation, "crowded")
        crowded.value = CROWDED_VALUE
        threads = [thread for process in loom.processes for thread in process.threads]
        return [
            {CROWDED: crowded} | {thread.gindex: self.of(thread, k) for thread in threads}
            for k in range(len(self.specs))
        ]

    def cpu_track(self, cpu, k, inputs):
        select, spec = cpu.channels["th_running"], self.specs[k]
        name = f"{spec.name} of{cpu.name}"
        return Mux(self.emulation.propagation, name, select, inputs.get, spec.cpu_default).output
