"""Task types, tasks and their bodies, as the models nosv, nanos6 and openmp share them."""

from enum import Enum, Flag, auto

from errors import Rejected, require

LABEL_LIMIT = 511
MASK = 0xFFFFFFFF
MIX = [("a", "b", "c", -13), ("b", "c", "a", 8), ("c", "a", "b", -13), ("a", "b", "c", -12), ("b", "c", "a", 16),
       ("c", "a", "b", -5), ("a", "b", "c", -3), ("b", "c", "a", 10), ("c", "a", "b", -15)]  # fmt: skip


class Flags(Flag):
    PARALLEL = auto()
    RESURRECT = auto()
    PAUSE = auto()
    RELAX = auto()


class State(Enum):
    CREATED = auto()
    RUNNING = auto()
    PAUSED = auto()
    DEAD = auto()


def mix(words):
    for x, y, z, shift in MIX:
        shifted = words[z] >> -shift if shift < 0 else words[z] << shift
        words[x] = ((words[x] - words[y] - words[z]) ^ shifted) & MASK


def add_block(words, block):
    for k, name in enumerate("abc"):
        words[name] = (words[name] + int.from_bytes(block[4 * k : 4 * k + 4], "little")) & MASK
    mix(words)


def label_hash(label):
    words = {"a": 0x9E3779B9, "b": 0x9E3779B9, "c": 0xFEEDBEEF}
    whole = len(label) // 12 * 12
    for begin in range(0, whole, 12):
        add_block(words, label[begin : begin + 12])
    rest = label[whole:].ljust(11, b"\0")
    words["c"] = (words["c"] + len(label)) & MASK
    add_block(words, rest[:8] + b"\0" + rest[8:])
    return words["c"]


def label_gid(label):
    gid = (label_hash(label) + 666) & 0x7FFFFFFF
    return gid + 1000 if gid < 1000 else gid


class TaskType:
    def __init__(self, number, label):
        self.label = label or b"(unlabeled task type %d)" % number
        require(len(self.label) <= LABEL_LIMIT, f"label of task type {number} too long")
        self.gid = label_gid(self.label)


class Task:
    def __init__(self, number, task_type, flags):
        self.number, self.type, self.flags = number, task_type, flags
        self.bodies = {}

    def body(self, number):
        if number not in self.bodies:
            require(number != 0, f"task {self.number}: body id 0")
            require(Flags.PARALLEL in self.flags or not self.bodies, f"task {self.number} has a body already")
            self.bodies[number] = Body(self, number)
        return self.bodies[number]

    def existing_body(self, number):
        require(number in self.bodies, f"task {self.number}: body {number} never executed")
        return self.bodies[number]


class Body:
    def __init__(self, task, number):
        self.task, self.number = task, number
        self.state = State.CREATED
        self.iteration = 0
        self.stack = None

    def refuse(self, what):
        raise Rejected(f"cannot {what} body {self.number} of task {self.task.number}, which is {self.state.name}")

    def execute(self, stack):
        if self.state is State.DEAD and Flags.RESURRECT in self.task.flags:
            self.iteration += 1
            self.state = State.CREATED
        if self.state is not State.CREATED or self.stack is not None:
            self.refuse("execute")
        if running_body(stack) is not None and Flags.RELAX not in stack[-1].task.flags:
            raise Rejected(f"cannot nest body {self.number} of task {self.task.number} over a running body")
        self.state, self.stack = State.RUNNING, stack
        stack.append(self)

    def pause(self, stack):
        if Flags.PAUSE not in self.task.flags or not self.on_top(stack, State.RUNNING):
            self.refuse("pause")
        self.state = State.PAUSED

    def resume(self, stack):
        if not self.on_top(stack, State.PAUSED):
            self.refuse("resume")
        self.state = State.RUNNING

    def end(self, stack):
        if not self.on_top(stack, State.RUNNING):
            self.refuse("end")
        self.state, self.stack = State.DEAD, None
        stack.pop()

    def on_top(self, stack, state):
        return self.state is state and self.stack is stack and stack[-1] is self


def running_body(stack):
    return stack[-1] if stack and stack[-1].state is State.RUNNING else None


class ProcessTasks:
    """Types and tasks of one process in one model."""

    def __init__(self):
        self.types, self.tasks = {}, {}

    def create_type(self, number, label):
        require(number != 0 and number not in self.types, f"bad or used task type {number}")
        self.types[number] = TaskType(number, label)

    def create_task(self, number, type_number, flags):
        require(number not in self.tasks, f"task {number} exists already")
        self.tasks[number] = Task(number, self.type(type_number), flags)

    def type(self, number):
        require(number in self.types, f"unknown task type {number}")
        return self.types[number]

    def task(self, number):
        require(number in self.tasks, f"unknown task {number}")
        return self.tasks[number]
