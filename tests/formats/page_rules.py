#!/usr/bin/python3
"""page_rules.py FILE [DIRECTORY [partial]]: checks the data of a page, and with DIRECTORY that its timeline, its messages and the times
of its functions are those of the Paraver files there. Prints counts; what is wrong goes to stderr, status 1."""
import json
import re
import sys
from collections import defaultdict
from math import inf
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from paraver_files import MPI, WAITS, Message, ParaverFiles

# The first of these types that shows something is what a row shows.
KINDS = {MPI: "mpi", 310: "lock", 50: "openmp", 37: "task", 13: "task", 4: "state"}
REGION = 199
CATEGORIES, REGIONS, WAITING = range(3)  # layers of a clip
SMALL = range(1, 2**16)
LARGEST = 2**31 - 1  # number of bytes in a line
MOST_MESSAGES, MOST_CATEGORIES = 4000, 63
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def fail(what):
    sys.exit(f"page_rules: {what}")


def fail_at_difference(where, found, expected):
    place = next((i for i, (one, other) in enumerate(zip(found, expected)) if one != other), min(len(found), len(expected)))
    first = max(place - 1, 0)
    fail(f"{where}: {found[first:place + 2]}, {expected[first:place + 2]}")


def steps(changes):
    """The value after each moment at which it is another one than before."""
    made = []
    for time, value in changes:
        if made and made[-1][0] == time:
            made.pop()
        if not made or made[-1][1] != value:
            made.append((time, value))
    return made


class Page:
    def __init__(self, path):
        text = Path(path).read_text()
        if remote := re.search(r"""(?:src|href)\s*=\s*["']?(?!#|data:)[^"'\s>]+""", text.split('id="data"')[0]):
            fail(f"loads {remote[0]}")
        self.data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
        self.timeline = self.data["timeline"]
        self.of_cells = {self.category(place) for place in range(MOST_CATEGORIES)}
        self.windows = self.timeline["windows"]
        self.changes = 0
        for window in self.windows:
            for _, cut, pairs in window["clips"]:
                self.changes += len(pairs) // 2
                until = min(cut or inf, window["to"] or inf)
                if min(pairs[::2], default=0) < 0 or window["from"] + sum(pairs[::2]) > until:
                    fail(f"a clip of {window['from']} is not in the order of time, or longer than its window")

    def category(self, place):
        all_categories = self.timeline["categories"]
        return (all_categories[place]["kind"], all_categories[place]["value"]) if place < len(all_categories) else "others"

    def clip(self, window, pairs):
        """What the row shows in each layer, as steps."""
        layers, time = ([], [], []), window["from"]
        for passed, code in zip(pairs[::2], pairs[1::2]):
            time += passed
            value, layer = divmod(code, 3)
            layers[layer].append((time, self.category(value) if layer == CATEGORIES else value))
        return [steps(layer) for layer in layers]

    def cells(self, text):
        made, at = [], 0
        while at < len(text):
            if text[at] == ".":
                made.append(made[-1])
                at += 1
            elif text[at] == "-":
                made.append(None)
                at += 1
            else:
                place, share = DIGITS.index(text[at]), DIGITS.index(text[at + 1]) / 63
                made.append((self.category(place) if place < MOST_CATEGORIES else "others", share))
                at += 4
        return made

    def in_cells(self, category):
        """Cells have less room for categories."""
        return category if category in self.of_cells else "others"

    def messages(self, number):
        return sorted(Message(sender, begin, receiver, posted, end, min(size, LARGEST), tag)
                      for window, begin, _, posted, end, sender, receiver, size, tag in self.timeline["messages"] if window == number)


class Expected(ParaverFiles):
    """What the page has to show, from the Paraver files."""

    def __init__(self, directory, page, partial):
        super().__init__(directory, partial)
        self.known = {(category["kind"], category["value"]) for category in page.timeline["categories"]}
        self.regions = {name: place for place, name in enumerate(page.timeline["regions"], 1)}

    def region(self, value):
        return 0 if value == 0 else self.regions.get(self.name(REGION, value)[:160], len(self.regions) + 1)

    def layers(self, row):
        changes = sorted((time, place, value) for place, kind in enumerate(KINDS) for time, value in steps(self.lines.get((row, kind), [])))
        shown, categories = [0] * len(KINDS), [(0, self.shown([0] * len(KINDS)))]
        for time, place, value in changes:
            shown[place] = value if value in SMALL else 0
            categories.append((time, self.shown(shown)))
        regions = [(time, self.region(value)) for time, value in self.lines.get((row, REGION), [])]
        return steps(categories), steps([(0, 0)] + regions), steps([(0, 0)] + self.lines.get((row, WAITS), []))

    def shown(self, values):
        category = next(((kind, value) for kind, value in zip(KINDS.values(), values) if value), ("state", 0))
        return category if category in self.known else "others"


def in_window(layer, begin, end):
    """The steps from what holds just before `begin`."""
    before = [value for time, value in layer if time < begin] or [layer[0][1]]
    return steps([(begin, before[-1])] + [(time, value) for time, value in layer if begin <= time < end])


def compare_clips(page, expected):
    for window in page.windows:
        for row, cut, pairs in window["clips"]:
            end = min(cut or inf, window["to"] or inf)
            for found, layer in zip(page.clip(window, pairs), expected[row]):
                found = [step for step in found if step[0] < end]
                if found != in_window(layer, window["from"], end):
                    fail_at_difference(f"row {row} from {window['from']}", found, in_window(layer, window["from"], end))


def compare_cells(page, expected):
    """The first category of a column has the share that it says, and no other one has more."""
    rows, end, rounding = page.timeline["rows"], page.timeline["end"], 0.51 / 63
    for row, text in enumerate(rows["cells"]):
        times = defaultdict(lambda: defaultdict(int))
        ends = [time for time, _ in expected[row][CATEGORIES][1:]] + [end]
        for (begin, category), until in zip(expected[row][CATEGORIES], ends):
            while begin < until:
                column = begin // rows["width"]
                passed = min(until, (column + 1) * rows["width"]) - begin
                times[column][page.in_cells(category)] += passed
                begin += passed
        for column, cell in enumerate(page.cells(text)):
            length = min(rows["width"], end - column * rows["width"])
            shares = {category: time / length for category, time in times[column].items()}
            category, share = cell or (None, 0)
            if (cell is None) != (not shares) or shares and (abs(shares.get(category, -1) - share) > rounding or max(shares.values()) > share + rounding):
                fail(f"column {column} of row {row}: {cell}, {shares}")


PARTS = 256  # of an amount


class Columns:
    """A counter in columns, of whole numbers as the page counts them."""

    def __init__(self, width, is_level):
        self.width, self.is_level, self.values = width, is_level, defaultdict(int)

    def add(self, value, begin, end):
        before, at = 0, begin
        while at < end:
            column = at // self.width
            at = min(end, (column + 1) * self.width)
            counted = value * (at - begin) // (end - begin)
            self.values[column] = max(self.values[column], value) if self.is_level else self.values[column] + counted - before
            before = counted


def counts(text):
    made, at = [], 0
    while at < len(text):
        if text[at] == ".":
            made.append(made[-1])
            at += 1
        else:
            number = 64 * DIGITS.index(text[at]) + DIGITS.index(text[at + 1])
            made.append(2 ** ((number - 1) / 63) if number else 0)
            at += 2
    return made


def add_amounts(columns, lines, running):
    before = 0
    for time, value in lines:
        since = max([before] + [begin for begin in running if begin <= time])
        columns.add(PARTS * value, max(min(since, time - 1), 0), time)
        before = time


def add_levels(columns, lines, end):
    """A level holds until the next one, or until the last thread of its process ends."""
    before, held = 0, 0
    for time, value in sorted([*lines, (end, 0)]):
        columns.add(held, before, time)
        before, held = time, value


def compare_counters(page, files):
    """Each row with a counter has what its lines say, to a percent; processes have their memory in their first row."""
    counters, processes = page.timeline["counters"], page.timeline["rows"]["processes"]
    known = {kind for kind in files.titles if 42_000_000 <= kind < 49_000_000}
    if known != {counter["type"] for counter in (counters or {"list": []})["list"]}:
        fail(f"counters are {counters and counters['list']}, not {known}")
    if not counters:
        return 0
    end, width, (running, dead) = page.timeline["end"], counters["rows"]["width"], (1, 3)
    states = [files.lines.get((row, 4), []) for row in range(len(processes))]
    ends = {process: max(states[row][-1][0] if states[row][-1][1] == dead else end
                         for row, other in enumerate(processes) if other == process and states[row]) for process in processes
            if any(states[row] for row, other in enumerate(processes) if other == process)}
    if len(counters["rows"]["cells"]) != len(processes):
        fail(f"{len(counters['rows']['cells'])} rows have counters")
    for row, texts in enumerate(counters["rows"]["cells"]):
        for counter, text in zip(counters["list"], texts, strict=True):
            columns = Columns(width, counter["is_level"])
            if not counter["is_level"]:
                add_amounts(columns, files.lines.get((row, counter["type"]), []), [time for time, value in states[row] if value == running])
            elif processes.index(processes[row]) == row:
                lines = [line for other, process in enumerate(processes) if process == processes[row]
                         for line in files.lines.get((other, counter["type"]), [])]
                add_levels(columns, lines, ends.get(processes[row], 0))
            found = counts(text) or [0] * (end // width + 1)
            if len(found) != end // width + 1:
                fail(f"{counter['name']} of row {row}: {len(found)} columns")
            for column, value in enumerate(found):
                if abs(value - columns.values[column]) > 0.01 * columns.values[column]:
                    fail(f"{counter['name']} of row {row}, column {column}: {value}, {columns.values[column]}")
    return len(known)


def compare_messages(page, files):
    found, everything = page.messages(0), sorted(files.messages)
    if len(found) != min(len(everything), MOST_MESSAGES) or len(everything) <= MOST_MESSAGES and found != everything:
        fail(f"{len(found)} messages, {len(everything)} in lines, or others")
    known = set(everything)
    for number, window in enumerate(page.windows):
        for message in page.messages(number):
            if message not in known or not window["from"] <= message.begin < (window["to"] or inf):
                fail(f"a message that is not there: {message}")


def compare_functions(page, files):
    """Processes with one thread: what its row shows is the time of its functions, but for calls without time."""
    functions, processes = page.data["functions"], page.timeline["rows"]["processes"]
    if functions["by"] != "rank":
        return
    times = defaultdict(int)
    for row, process in enumerate(processes):
        for part in files.slices(row, MPI):
            times[page.data["processes"][process], part.name] += part.end - part.begin
    for name, function, _, time, *_ in functions["cells"]:
        key = functions["names"][name], functions["functions"][function]
        is_alone = processes.count(page.data["processes"].index(key[0])) == 1
        if is_alone and times[key] != time:
            fail(f"{key}: {time} ns, {times[key]} ns in lines")


def main():
    page, counters = Page(sys.argv[1]), 0
    is_partial = sys.argv[3:] == ["partial"]
    if page.data["report"]["complete"] == is_partial:
        fail(f"complete is {page.data['report']['complete']}")
    if len(sys.argv) > 2:
        files = Expected(sys.argv[2], page, is_partial)
        if page.timeline["rows"]["names"] != [row[:160] for row in files.rows]:
            fail(f"rows: {page.timeline['rows']['names'][:3]}, {files.rows[:3]}")
        expected = [files.layers(row) for row in range(len(files.rows))]
        compare_clips(page, expected)
        compare_cells(page, expected)
        counters = compare_counters(page, files)
        compare_messages(page, files)
        compare_functions(page, files)
    print(f" changes={page.changes} messages={len(page.messages(0))} counters={counters} ")


main()
