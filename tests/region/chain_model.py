"""What chains of alarms fire, said as plainly as possible: for each alarm the table of who it waits for, with counts.

Chains come as data, not as text: lists of Alarm, with repeat, name and waits_for. Traces are lists of (thread, kind,
value, detail) as `differential` makes them.
"""
from dataclasses import dataclass, field

ALL = "all"       # whom an alarm is armed for
ANYONE = "anyone"  # key of alarms that all threads share


@dataclass
class Alarm:
    event: str
    kind: str
    value: object = None
    detail: object = None
    count: int = 1
    tid: int = None
    bcast: bool = False
    globally: bool = False

    @property
    def is_shared(self):
        return self.globally or self.tid is not None

    def meets(self, kind, value, detail):
        if kind != self.kind or value != self.value:
            return False
        if kind == "slowcall":
            return detail >= self.detail
        if kind == "pcontrol" and self.detail is None:
            return detail not in (0, 2)
        return self.detail is None or detail == self.detail


@dataclass
class Chain:
    alarms: list
    repeat: int = 1  # 0: endless
    name: str = None
    waits_for: str = None
    runs: dict = field(default_factory=dict)


class Sampler:
    """Where a uniform alarm stands: numbers its starts and stops."""

    def __init__(self, period, length, samples):
        self.length, self.gap, self.last, self.at = length, period - length, 2 * samples - 1, 0

    def is_start(self):
        return self.at % 2 == 0

    def is_immediate(self):
        return self.is_start() and (self.at == 0 or self.gap == 0)

    def target(self):
        if not self.is_start():
            return self.length
        return 1 if self.is_immediate() else self.gap


class Model:
    def __init__(self, chains):
        self.chains = chains
        self.alarms = [(c, i, a) for c in chains for i, a in enumerate(c.alarms)]
        self.waiting = [{} for _ in self.alarms]  # of each alarm: for whom, and how far it has counted
        self.for_newcomers = [False] * len(self.alarms)
        self.samplers = {n: Sampler(*a.value) for n, (_, _, a) in enumerate(self.alarms) if a.kind == "uniform"}
        self.threads, self.fired = [], []
        starts = any(a.event == "start" or a.kind == "uniform" for _, _, a in self.alarms)
        self.default_start = not starts
        for chain in chains:
            if chain.waits_for is None:
                self.arm(self.number(chain, 0), ALL)

    def number(self, chain, index):
        return next(n for n, (c, i, _) in enumerate(self.alarms) if c is chain and i == index)

    def see(self, thread):
        if thread in self.threads:
            return
        self.threads.append(thread)
        for n, armed in enumerate(self.for_newcomers):
            if armed:
                self.waiting[n][thread] = 0
        if self.default_start:
            self.fired.append(f"start(t{thread})*")

    def arm(self, n, whom):
        if self.alarms[n][2].is_shared:
            self.waiting[n] = {ANYONE: 0}
        elif whom == ALL:
            self.waiting[n] = {t: 0 for t in self.threads}
            self.for_newcomers[n] = True
        else:
            self.waiting[n][whom] = 0

    def disarm(self, n, thread):
        alarm = self.alarms[n][2]
        if alarm.is_shared or alarm.bcast:
            self.waiting[n], self.for_newcomers[n] = {}, False
        else:
            del self.waiting[n][thread]

    def key(self, n, thread):
        """Under which key this thread's hits of the alarm count, or None where it is not armed for it."""
        alarm = self.alarms[n][2]
        if alarm.tid not in (None, thread):
            return None
        key = ANYONE if alarm.is_shared else thread
        return key if key in self.waiting[n] else None

    def passes(self, n, thread, step, target):
        key = self.key(n, thread)
        if key is None:
            return False
        self.waiting[n][key] += step
        return self.waiting[n][key] >= target

    def fire(self, n, thread):
        """Returns what to arm when the site is through."""
        chain, index, alarm = self.alarms[n]
        self.disarm(n, thread)
        event, sampler = alarm.event, self.samplers.get(n)
        if sampler:
            event = "start" if sampler.is_start() else "stop"
        if event != "precond":
            self.fired.append(f"{event}(t{thread}{',bcast' if alarm.bcast else ''})")
        if sampler:
            sampler.begun = sampler.is_immediate()
            sampler.at = 0 if sampler.at == sampler.last else sampler.at + 1
            if sampler.at:
                return [(n, ALL)]
        whom = ALL if alarm.bcast else thread
        if index + 1 < len(chain.alarms):
            return [(n + 1, whom)]
        together = alarm.bcast or alarm.globally
        counted = ALL if together else thread
        chain.runs[counted] = chain.runs.get(counted, 0) + 1
        if chain.repeat == 0 or chain.runs[counted] < chain.repeat:
            return [(self.number(chain, 0), whom)]
        followers = [c for c in self.chains if chain.name and c.waits_for == chain.name]
        return [(self.number(c, 0), counted) for c in followers]

    def site(self, thread, kind, value, detail):
        self.see(thread)
        after = []
        for n, (_, _, alarm) in enumerate(self.alarms):
            if alarm.meets(kind, value, detail) and self.passes(n, thread, 1, alarm.count):
                after += self.fire(n, thread)
        for n, whom in after:
            self.arm(n, whom)

    def execute(self, thread, instructions, one_by_one):
        """A block; or one instruction, where what is armed begins behind it."""
        self.see(thread)
        after = []
        for n, (_, _, alarm) in enumerate(self.alarms):
            if alarm.kind == "uniform":
                target = self.samplers[n].target()
            elif alarm.kind == "icount":
                target = alarm.value * alarm.count
            else:
                continue
            if self.passes(n, thread, instructions, target):
                after += self.fire(n, thread)
        for n, whom in after:
            self.arm(n, whom)
        for n, _ in after:
            begins_here = n in self.samplers and self.samplers[n].at and self.samplers[n].begun
            if self.alarms[n][2].kind in ("icount", "uniform") and (not one_by_one or begins_here):
                self.passes(n, thread, instructions, 0)


def play(chains, trace):
    """What the trace fires; `trace` has (text of the token, thread, kind, value, detail)."""
    model, told = Model(chains), []
    for index, (text, thread, kind, value, detail) in enumerate(trace):
        steps = value if kind == "i" else 1
        for step in range(steps):
            before = len(model.fired)
            if kind in "ib":
                model.execute(thread, value if kind == "b" else 1, kind == "i")
            else:
                model.site(thread, kind, value, detail)
            place = f"@{index}:{text}" + (f"#{step + 1}" if kind == "i" else "")
            told += [firing + place for firing in model.fired[before:]]
    return " ".join(told)
