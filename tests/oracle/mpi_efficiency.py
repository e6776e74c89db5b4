"""Efficiencies as the POP centre of excellence defines them; the ideal network by a replay in the order of what depends on what."""

from mpi_processes import collectives, matched
from mpi_waits import flow_of


class Point:
    """A step of a process: it has `useful` ns outside of MPI behind it, and goes on when all that it needs is done."""

    def __init__(self, process, time, needs=()):
        self.process, self.time, self.needs, self.ideal = process, time, list(needs), None
        self.useful = useful_until(process, time)


def useful_until(process, time):
    time = min(max(time, process.began), process.ended)
    inside = sum(min(call.leave, time) - call.enter for call in process.calls if process.began < call.enter < time)
    return time - process.began - inside


def needed_by(part, parts, entered):
    """The enters of those whose data a member of a collective gets, of those that have entered when it leaves."""
    flow, leave = flow_of(part.post.name), part.completion.leave
    if flow in ("barrier", "fence", "n to n", "neighbours", "members"):
        others = parts
    elif flow == "from root":
        others = [other for other in parts if other.rank == other.root]
    elif flow == "to root":
        others = parts if part.rank == part.root else []
    else:
        others = [other for other in parts if other.rank < part.rank] if flow == "scan" else []
    return [entered[other] for other in others if other.post.enter <= leave]


def points_of(processes):
    """The points of each process in the order of its program, which is that of time; edges of regions by (region, place)."""
    points = {process: [] for process in processes}

    def add(process, time, needs=()):
        point = Point(process, time, needs)
        points[process].append(point)
        return point

    for send, receive in matched(processes):
        point = add(send.process, send.post.enter)
        if receive.completion:
            add(receive.process, receive.completion.leave, [point])
    for parts in collectives(processes):
        entered = {part: add(part.process, part.post.enter) for part in parts}
        for part in parts:
            if part.completion:
                add(part.process, part.completion.leave, needed_by(part, parts, entered))
    edges = {}
    for process in processes:
        edges[process] = [(0, add(process, process.began), add(process, process.ended))]
        before, since = [], {}
        for time, stack in process.regions + [(None, [])]:
            for region in set(before) - set(stack):
                if time is not None:
                    edges[process].append((region, since.pop(region), add(process, time)))
            for region in set(stack) - set(before):
                since[region] = add(process, time)
            before = stack
        points[process].sort(key=lambda point: point.time)
    return points, edges


def replay(points):
    """Gives each point its time in an ideal network."""
    at = dict.fromkeys(points, 0)
    left = sum(len(steps) for steps in points.values())
    while left:
        before = left
        for process, steps in points.items():
            while at[process] < len(steps) and all(need.ideal is not None or need.process is process for need in steps[at[process]].needs):
                point = steps[at[process]]
                last = steps[at[process] - 1] if at[process] else None
                point.ideal = (last.ideal + point.useful - last.useful) if last else 0
                point.ideal = max([point.ideal, *(need.ideal for need in point.needs)])
                at[process] += 1
                left -= 1
        assert left < before, "what is received was never sent"


def efficiencies(processes):
    """By region, 0 for the run: the numbers that the five ratios are made of."""
    points, edges = points_of(processes)
    replay(points)
    sums = {}
    for process in processes:
        mine = {}
        for region, begin, end in edges[process]:
            sum_of = mine.setdefault(region, [0, 0, 0])
            for i, ns in enumerate((end.time - begin.time, end.ideal - begin.ideal, end.useful - begin.useful)):
                sum_of[i] += ns
        for region, of in mine.items():
            sums.setdefault(region, []).append((process, *of))
    return {region: {"processes": len(all_of), "runtime": max(of[1] for of in all_of), "ideal_runtime": max(of[2] for of in all_of),
                     "useful": sum(of[3] for of in all_of), "longest_useful": max(of[3] for of in all_of),
                     "busiest": max(all_of, key=lambda of: of[3])[0].rank}
            for region, all_of in sums.items()}
