"""The actions of threads and CPUs: system channels, thread states, and who runs where."""

from channels import ERROR_DUP, IGNORE_DUP, Single
from errors import Rejected, require

UNKNOWN, RUNNING, PAUSED, DEAD, COOLING, WARMING = range(6)
STATES_SHOWN = {"running": {RUNNING}, "active": {RUNNING, COOLING, WARMING}}
STATE_LABELS = list(enumerate(["Unknown", "Running", "Paused", "Dead", "Cooling", "Warming"]))
CROWDED = -1  # value of th_running for more than one running thread, where that is tolerated

# name, PRV type, flags, duplicates
THREAD_CHANNELS = [
    ("cpu_gindex", 6, ["NEXT"], ERROR_DUP),
    ("tid_active", 2, [], IGNORE_DUP),
    ("state", 4, ["SKIPDUP"], ERROR_DUP),
]
CPU_CHANNELS = [
    ("nrunning", 3, ["ZERO"], IGNORE_DUP),
    ("pid_running", 1, [], IGNORE_DUP),
    ("tid_running", 2, [], IGNORE_DUP),
    ("th_running", None, [], IGNORE_DUP),
    ("th_active", None, [], IGNORE_DUP),
]


def is_running(thread):
    return thread.state in STATES_SHOWN["running"]


def is_active(thread):
    return thread.state in STATES_SHOWN["active"]


class Machine:
    def __init__(self, system, propagation, outputs, tolerate_crowded):
        self.tolerate_crowded = tolerate_crowded
        for thread in system.threads:
            self.create(thread, THREAD_CHANNELS, propagation, outputs["thread"])
        for cpu in system.cpus:
            self.create(cpu, CPU_CHANNELS, propagation, outputs["cpu"])
        pcf = outputs["thread"].pcf
        pcf.add_type(6, "Thread: CPU affinity", [(cpu.gindex + 1, cpu.name) for cpu in system.cpus])
        pcf.add_type(2, "Thread: TID of the ACTIVE thread")
        pcf.add_type(4, "Thread: thread state", STATE_LABELS)

    @staticmethod
    def create(owner, table, propagation, output):
        owner.channels = {}
        output.labels[owner.gindex] = owner.name
        for name, prv_type, flags, duplicates in table:
            channel = Single(propagation, f"{name} of {owner.name}", duplicates)
            owner.channels[name] = channel
            if prv_type is not None:
                output.bind(owner.gindex, prv_type, channel, flags)

    @staticmethod
    def find_cpu(loom, index):
        require(index in loom.cpus, f"no cpu with index {index} in loom {loom.name}")
        return loom.cpus[index]

    @staticmethod
    def set_state(thread, state):
        require(thread.cpu is not None, f"thread {thread.tid} has no cpu")
        thread.state = state
        thread.channels["state"].set(state)
        thread.channels["tid_active"].set(thread.tid if is_active(thread) else None)

    def execute(self, thread, index):
        require(not is_running(thread) and thread.cpu is None, f"thread {thread.tid} executes already")
        thread.cpu = self.find_cpu(thread.process.loom, index)
        thread.channels["cpu_gindex"].set(thread.cpu.gindex)
        self.set_state(thread, RUNNING)
        thread.cpu.threads.append(thread)
        self.update(thread.cpu)

    def end(self, thread):
        self.require_state(thread, {RUNNING, COOLING})
        self.set_state(thread, DEAD)
        thread.cpu.threads.remove(thread)
        self.update(thread.cpu)
        thread.cpu = None
        thread.channels["cpu_gindex"].set(None)

    def change(self, thread, allowed, state):
        self.require_state(thread, allowed)
        self.set_state(thread, state)
        self.update(thread.cpu)

    @staticmethod
    def require_state(thread, allowed):
        require(thread.state in allowed, f"thread {thread.tid} is in state {dict(STATE_LABELS)[thread.state]}")

    def migrate(self, thread, cpu):
        thread.cpu.threads.remove(thread)
        self.update(thread.cpu)
        thread.cpu = cpu
        cpu.threads.append(thread)
        self.update(cpu)
        thread.channels["cpu_gindex"].set(cpu.gindex)

    def update(self, cpu):
        running = [thread for thread in cpu.threads if is_running(thread)]
        active = [thread for thread in cpu.threads if is_active(thread)]
        crowded = len(running) > 1 and not cpu.virtual
        if crowded and not self.tolerate_crowded:
            raise Rejected(f"{len(running)} running threads on{cpu.name}")
        unique = running[0] if len(running) == 1 else None
        channels = cpu.channels
        channels["tid_running"].set(unique and unique.tid)
        channels["pid_running"].set(unique and unique.process.pid)
        channels["th_running"].set(CROWDED if crowded else unique and unique.gindex)
        channels["nrunning"].set(len(running))
        channels["th_active"].set(active[0].gindex if len(active) == 1 else None)
