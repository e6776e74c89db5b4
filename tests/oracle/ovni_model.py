"""The model ovni: life of threads, affinity, marks."""

import struct

import marks
from errors import require
from machine import COOLING, DEAD, PAUSED, RUNNING, UNKNOWN, WARMING, is_active
from model import Model
from tracks import ChannelGroup

# event -> states it is allowed in, state that follows
CHANGES = {
    "OHp": ({RUNNING, COOLING}, PAUSED),
    "OHr": ({PAUSED, WARMING}, RUNNING),
    "OHc": ({RUNNING}, COOLING),
    "OHw": ({PAUSED}, WARMING),
}
# The reference ignores this whole category: its own sort test has a jumbo event OUj inside a region.
IGNORED_CATEGORY = "OU"
MARK_OPERATIONS = {"OM[": "push", "OM]": "pop", "OM=": "set"}


class Ovni(Model):
    def create(self):
        super().create()
        self.marks = marks.collect(self.emulation.system.threads)
        specs = [mark.channel_spec() for mark in self.marks]
        self.mark_group = ChannelGroup(self.emulation, specs)
        self.mark_indices = {mark.number: index for index, mark in enumerate(self.marks)}

    def connect_extras(self):
        self.mark_group.connect()

    def guard(self, thread):
        return not thread.out_of_cpu

    def event(self, thread, event, time):
        if event.mcv.startswith(IGNORED_CATEGORY):
            require(self.guard(thread), f"thread {thread.tid} may not do that now")
        else:
            super().event(thread, event, time)

    def special(self, thread, event):
        machine = self.emulation.machine
        if event.mcv in CHANGES:
            machine.change(thread, *CHANGES[event.mcv])
        elif event.mcv == "OHx":
            require(len(event.payload) >= 4, "payload too short")
            machine.execute(thread, struct.unpack_from("<i", event.payload)[0])
        elif event.mcv == "OHe":
            machine.end(thread)
        elif event.mcv == "OAs":
            self.affinity_set(thread, event.payload)
        elif event.mcv == "OAr":
            self.affinity_remote(thread, event.payload)
        elif event.mcv in MARK_OPERATIONS:
            self.mark(thread, MARK_OPERATIONS[event.mcv], event.payload)

    def affinity_set(self, thread, payload):
        require(len(payload) == 4, "payload is not 4 bytes")
        require(thread.cpu is not None and is_active(thread), f"thread {thread.tid} is not active")
        cpu = self.emulation.machine.find_cpu(thread.process.loom, struct.unpack("<i", payload)[0])
        if cpu is not thread.cpu:
            self.emulation.machine.migrate(thread, cpu)

    def affinity_remote(self, emitter, payload):
        require(len(payload) == 8, "payload is not 8 bytes")
        index, tid = struct.unpack("<ii", payload)
        process = emitter.process
        searched = [thread for other in [process] + process.loom.processes for thread in other.threads]
        target = next((thread for thread in searched if thread.tid == tid), None)
        require(target is not None, f"no thread {tid}")
        require(target.state not in (DEAD, UNKNOWN) and target.cpu is not None, f"thread {tid} does not execute")
        self.emulation.machine.migrate(target, self.emulation.machine.find_cpu(process.loom, index))

    def mark(self, thread, operation, payload):
        require(len(payload) == 12, "payload is not 12 bytes")
        value, number = struct.unpack("<qi", payload)
        require(number in self.mark_indices, f"unknown mark type {number}")
        require(value != 0, "mark value 0")
        getattr(self.mark_group.of(thread, self.mark_indices[number]), operation)(value)

    def finish_extras(self):
        if self.emulation.complete:
            alive = [thread.tid for thread in self.emulation.system.threads if thread.state != DEAD]
            require(not alive, f"threads {alive} are not dead at the end")
