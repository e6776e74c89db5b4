"""Looms, processes, threads and CPUs from the metadata of all streams: merged, checked, sorted, numbered."""

from operator import attrgetter

from errors import Rejected, require
from metadata import find, integer, is_number

VIRTUAL = -1


class Cpu:
    def __init__(self, loom, index, phyid):
        self.loom, self.index, self.phyid = loom, index, phyid
        self.gindex = None
        self.threads = []

    @property
    def virtual(self):
        return self.index == VIRTUAL

    @property
    def name(self):
        return f"vCPU {self.loom.gindex}.*" if self.virtual else f" CPU {self.loom.gindex}.{self.phyid}"


class Thread:
    def __init__(self, process, tid, meta):
        self.process, self.tid, self.meta = process, tid, meta
        self.gindex = None
        self.cpu = None
        self.state = 0
        self.out_of_cpu = False

    @property
    def name(self):
        return f"TH {self.process.app_id}.{self.tid}"


class Process:
    def __init__(self, loom, pid):
        self.loom, self.pid = loom, pid
        self.app_id = 0
        self.rank = self.nranks = None
        self.threads = []


class Loom:
    def __init__(self, name):
        self.name = name
        self.processes = []
        self.physical = []
        self.cpus = {}  # by index, once the CPU lists are complete
        self.offset = 0

    @property
    def ranked(self):
        return any(process.rank is not None for process in self.processes)

    @property
    def rank_min(self):
        return min(process.rank for process in self.processes)

    @property
    def host(self):
        return self.name.split(".", 1)[0]


class System:
    def __init__(self, streams):
        self.looms = []
        for stream in streams:
            self.merge(stream)
        for loom in self.looms:
            check_loom(loom)
        self.sort()
        self.processes = [process for loom in self.looms for process in loom.processes]
        self.threads = [thread for process in self.processes for thread in process.threads]
        self.cpus = [cpu for loom in self.looms for cpu in loom.physical + [loom.cpus[VIRTUAL]]]
        for members in (self.looms, self.processes, self.threads, self.cpus):
            for gindex, member in enumerate(members):
                member.gindex = gindex
        for thread in self.threads:
            for key in ("ovni.lib.version", "ovni.lib.commit"):
                require(isinstance(find(thread.meta, key), str), f"thread {thread.tid}: no {key}")

    def merge(self, stream):
        meta = stream.meta
        part = find(meta, "ovni.part")
        require(isinstance(part, str), f"{stream.relative_path}: no ovni.part")
        if part != "thread":
            return
        try:
            loom = self.find_loom(meta)
            merge_cpus(loom, meta)
            process = find_process(loom, meta)
            merge_process(process, meta)
            stream.thread = add_thread(process, meta)
        except Rejected as error:
            raise Rejected(f"{stream.relative_path}: {error}") from None

    def find_loom(self, meta):
        name = find(meta, "ovni.loom")
        require(isinstance(name, str), "no ovni.loom")
        for loom in self.looms:
            if loom.name == name:
                return loom
        require("/" not in name, f"loom name '{name}' with a slash")
        self.looms.append(Loom(name))
        return self.looms[-1]

    def sort(self):
        if all(loom.ranked for loom in self.looms):
            self.looms.sort(key=lambda loom: loom.rank_min)
        else:
            self.looms.sort(key=lambda loom: loom.name.encode("utf-8", "surrogateescape"))
        for loom in self.looms:
            key = "rank" if loom.ranked else "pid"
            loom.processes.sort(key=attrgetter(key))
            for process in loom.processes:
                process.threads.sort(key=lambda thread: thread.tid)
            loom.physical.sort(key=lambda cpu: cpu.phyid)


def merge_cpus(loom, meta):
    cpus = find(meta, "ovni.loom_cpus")
    if cpus is None:
        return
    require(isinstance(cpus, list) and cpus, "empty ovni.loom_cpus")
    for member in cpus:
        require(isinstance(member, dict), "element of ovni.loom_cpus is no object")
        index, phyid = integer(member.get("index")), integer(member.get("phyid"))
        require(index >= 0, f"negative cpu index {index}")
        same = [cpu for cpu in loom.physical if cpu.phyid == phyid]
        if same:
            require(same[0].index == index, f"cpu {phyid} with index {index} and {same[0].index}")
            continue
        require(phyid >= 0, f"negative phyid {phyid}")
        loom.physical.append(Cpu(loom, index, phyid))


def find_process(loom, meta):
    pid = find(meta, "ovni.pid")
    require(is_number(pid) and integer(pid) > 0, f"bad ovni.pid {pid}")
    pid = integer(pid)
    for process in loom.processes:
        if process.pid == pid:
            return process
    loom.processes.append(Process(loom, pid))
    return loom.processes[-1]


def merge_process(process, meta):
    app_id = find(meta, "ovni.app_id")
    if app_id is not None:
        app_id = integer(app_id)
        require(process.app_id in (0, app_id), f"process {process.pid} with app_id {process.app_id} and {app_id}")
        require(app_id > 0, f"bad ovni.app_id {app_id}")
        process.app_id = app_id
    rank = find(meta, "ovni.rank")
    if rank is None:
        return
    rank, nranks = integer(rank), find(meta, "ovni.nranks")
    require(rank >= 0, f"negative ovni.rank {rank}")
    require(process.rank in (None, rank), f"process {process.pid} with rank {process.rank} and {rank}")
    require(nranks is not None, "ovni.rank without ovni.nranks")
    nranks = integer(nranks)
    require(nranks > 0 and process.nranks in (None, nranks), f"bad ovni.nranks {nranks}")
    require(rank < nranks, f"rank {rank} of {nranks}")
    process.rank, process.nranks = rank, nranks


def add_thread(process, meta):
    tid = integer(find(meta, "ovni.tid"))
    require(tid > 0, f"bad ovni.tid {tid}")
    require(all(thread.tid != tid for thread in process.threads), f"thread {tid} twice in process {process.pid}")
    require(integer(find(meta, "ovni.finished")) == 1, f"thread {tid}: ovni.finished is not 1")
    process.threads.append(Thread(process, tid, meta))
    return process.threads[-1]


def check_loom(loom):
    ranked = [process.rank is not None for process in loom.processes]
    require(all(ranked) or not any(ranked), f"loom {loom.name}: some processes without rank")
    for process in loom.processes:
        require(process.app_id > 0, f"process {process.pid} without app_id")
    require(loom.physical, f"loom {loom.name} without cpus")
    for cpu in loom.physical:
        require(cpu.index < len(loom.physical), f"loom {loom.name}: cpu index {cpu.index} out of range")
        require(cpu.index not in loom.cpus, f"loom {loom.name}: cpu with index {cpu.index} twice")
        loom.cpus[cpu.index] = cpu
    loom.cpus[VIRTUAL] = Cpu(loom, VIRTUAL, VIRTUAL)
