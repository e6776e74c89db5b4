"""The models with tasks: nosv, nanos6 and openmp."""

import struct

import marks
from breakdown import RuntimeBreakdown, SimpleBreakdown
from errors import Rejected, require
from machine import is_active
from metadata import find
from model import Model, active_and_on_cpu
from tasks import Flags, ProcessTasks, running_body
from tracks import ChannelGroup

TRANSITIONS = {"x": "execute", "e": "end", "p": "pause", "r": "resume"}


def words(payload, count, exact=False):
    """The first u32 words of a payload."""
    require(len(payload) >= 4 * count and not (exact and len(payload) > 4 * count), "payload of wrong size")
    return struct.unpack_from(f"<{count}I", payload)


class TaskModel(Model):
    lint_channel = "subsystem"
    type_event = None
    create_flags = {}

    def create(self):
        super().create()
        self.processes = [ProcessTasks() for _ in self.emulation.system.processes]
        self.stacks = [[] for _ in self.emulation.system.threads]
        self.breakdown = self.create_breakdown() if self.emulation.options.breakdown else None

    def create_breakdown(self):
        raise NotImplementedError

    def connect_extras(self):
        if self.breakdown is not None:
            self.breakdown.connect(self.group)

    def special(self, thread, event):
        tasks, stack = self.processes[thread.process.gindex], self.stacks[thread.gindex]
        if event.mcv == self.type_event:
            self.create_type(tasks, event)
        elif event.mcv in self.create_flags:
            self.create_task(tasks, event.payload, self.create_flags[event.mcv])
        else:
            self.task_event(thread, tasks, stack, event)

    @staticmethod
    def create_type(tasks, event):
        require(event.jumbo, "not jumbo")
        data = event.payload[4:]
        require(len(data) >= 5 and 0 in data[4:], "label without end")
        tasks.create_type(words(data, 1)[0], data[4 : data.index(0, 4)])

    def create_task(self, tasks, payload, flags):
        tasks.create_task(*words(payload, 2, exact=True), flags)

    def transition(self, body_of, stack, kind):
        """Applies it and says what became visible: the body that runs now (None for none) on a change."""
        before = running_body(stack)
        body = body_of()
        getattr(body, kind)(stack)
        after = running_body(stack)
        switch = (kind == "execute" and before is not None) or (kind == "end" and after is not None)
        if switch:
            require(before.task is not after.task, f"switch between bodies of task {after.task.number}")
            return after
        return body if kind in ("execute", "resume") else None

    def finish_extras(self):
        if self.labels_wanted():
            for name in ("thread", "cpu"):
                self.add_task_types(self.emulation.outputs[name].pcf, self.task_type_number())
        if self.breakdown is not None:
            self.breakdown.finish(self.add_task_types)

    def labels_wanted(self):
        return True

    def task_type_number(self):
        return next(spec.prv_type for spec in self.spec.channels if spec.task_types)

    def add_task_types(self, pcf, number):
        for tasks in self.processes:
            for task_type in tasks.types.values():
                pcf.add_task_type(number, task_type.gid, task_type.label)

    def show(self, thread, values):
        for name, value in values:
            if name != "rank" or thread.process.rank is not None:
                self.channel(thread, name).set(value)

    def move_subsystem(self, thread, kind, value):
        if kind == "execute":
            self.channel(thread, "subsystem").push(value)
        elif kind == "end":
            self.channel(thread, "subsystem").pop(value)


def rank_plus_one(thread):
    return None if thread.process.rank is None else thread.process.rank + 1


class Nosv(TaskModel):
    lint_needs_completion = False
    type_event = "VYc"
    create_flags = {"VTc": Flags.RESURRECT | Flags.PAUSE, "VTC": Flags.PARALLEL}
    in_body = 11

    def create(self):
        super().create()
        self.counters = ChannelGroup(self.emulation, marks.collect_counters(self.emulation.system.threads))

    def create_breakdown(self):
        able = [find(thread.meta, "nosv.can_breakdown") for thread in self.emulation.system.threads]
        require(all(isinstance(value, bool) for value in able), "thread without boolean nosv.can_breakdown")
        title = "CPU: nOS-V Runtime/Idle/Task breakdown"
        return RuntimeBreakdown(self.emulation, self.spec, 17, title, self.in_body) if all(able) else None

    def connect_extras(self):
        super().connect_extras()
        self.counters.connect()

    def guard(self, thread):
        return active_and_on_cpu(thread)

    def create_task(self, tasks, payload, flags):
        tasks.create_task(*words(payload, 2), flags)

    def task_event(self, thread, tasks, stack, event):
        if event.mcv == "VWC":
            return self.count(thread, event)
        number, body_number = words(event.payload, 2)
        task = tasks.task(number)
        parallel = Flags.PARALLEL in task.flags
        require((body_number != 0) == parallel, f"body {body_number} of task {number}")
        body_number = body_number if parallel else 1
        kind = TRANSITIONS[event.mcv[2]]
        body_of = lambda: task.body(body_number) if kind == "execute" else task.existing_body(body_number)
        shown = self.transition(body_of, stack, kind)
        self.move_subsystem(thread, kind, self.in_body)
        self.show(thread, self.values(thread, shown))

    @staticmethod
    def values(thread, body):
        if body is None:
            return [(name, None) for name in ("bodyid", "taskid", "task_type", "appid", "rank")]
        require(body.task.number != 0, "task id 0")
        return [
            ("bodyid", body.number),
            ("taskid", body.task.number),
            ("task_type", body.task.type.gid),
            ("appid", thread.process.app_id),
            ("rank", rank_plus_one(thread)),
        ]

    def count(self, thread, event):
        counters = len(self.counters.specs)
        require(counters > 0, "no hardware counters")
        require(event.jumbo, "not jumbo")
        require(len(event.payload) == 4 + 8 * counters, "payload of wrong size")
        for index, value in enumerate(struct.unpack_from(f"<{counters}q", event.payload, 4)):
            self.counters.of(thread, index).set(value)

    def labels_wanted(self):
        return self.emulation.complete


class Nanos6(TaskModel):
    type_event = "6Yc"
    create_flags = {"6Tc": Flags.PAUSE | Flags.RELAX}
    in_body = 1

    def create_breakdown(self):
        title = "CPU: Nanos6 Runtime/Idle/Task breakdown"
        return RuntimeBreakdown(self.emulation, self.spec, 41, title, self.in_body)

    def guard(self, thread):
        return is_active(thread)

    def task_event(self, thread, tasks, stack, event):
        task = tasks.task(words(event.payload, 1)[0])
        kind = TRANSITIONS[event.mcv[2]]
        body_of = lambda: task.body(1) if kind == "execute" else task.existing_body(1)
        shown = self.transition(body_of, stack, kind)
        self.move_subsystem(thread, kind, self.in_body)
        self.show(thread, self.values(thread, shown))

    @staticmethod
    def values(thread, body):
        if body is None:
            return [(name, None) for name in ("taskid", "task_type", "rank")]
        require(body.task.number != 0, "task id 0")
        return [("taskid", body.task.number), ("task_type", body.task.type.gid), ("rank", rank_plus_one(thread))]


class Openmp(TaskModel):
    type_event = "POc"
    create_flags = {"PPc": Flags.RELAX | Flags.RESURRECT}

    def create_breakdown(self):
        return SimpleBreakdown(self.emulation, self.spec, 53, "CPU: OpenMP Runtime/Label breakdown")

    def create_task(self, tasks, payload, flags):
        require(0 not in words(payload, 2, exact=True), "task or type id 0")
        super().create_task(tasks, payload, flags)

    def task_event(self, thread, tasks, stack, event):
        label, number = self.channel(thread, "label"), words(event.payload, 1)[0]
        require(number != 0, "id 0")
        if event.mcv == "PPx":
            task = tasks.task(number)
            task.body(1).execute(stack)
            self.channel(thread, "task ID").push(number)
            label.push(task.type.gid)
        elif event.mcv == "PPe":
            task = tasks.task(number)
            task.existing_body(1).end(stack)
            self.channel(thread, "task ID").pop(number)
            label.pop(task.type.gid)
        elif event.mcv == "PQx":
            label.push(tasks.type(number).gid)
        elif event.mcv == "PQe":
            label.pop(tasks.type(number).gid)
        else:
            raise Rejected(f"no rule for {event.mcv}")
