#!/usr/bin/env python3
"""usage: top_tables.py OVNITOP WORD...

Runs ovnitop with these words as text, as CSV and as JSON, and compares: rows of CSV are those of JSON, lines of text are
made from the numbers of JSON, and --help tables has the names of all tables and columns. Prints the number of rows of each
table, "all 3, by_rank 6"; else what differs, with status 1.
"""
import csv
import io
import json
import re
import subprocess
import sys

# Headings of text, and how its lines are made from rows of JSON, by option. Blanks do not count.
CALLS = "{function} {calls} {time_ns:s} {share_percent:%} {sent_bytes} {received_bytes}"
LOCKS = "{kind} {object} {waits} {time_ns:s} {share_percent:%} {longest_ns:s}"
REGION = "{region} {visits} {inclusive_ns:s} {share_percent:%} {exclusive_ns:s}"
SPREAD = "{ranks} {inclusive_min_ns:s} {inclusive_mean_ns:s} {inclusive_max_ns:s} {exclusive_min_ns:s} {exclusive_mean_ns:s} " \
    "{exclusive_max_ns:s}"
WAITS = "{time_ns:s} {share_percent:%} {certain_ns:s} {times}"
TEAMS = "{visits} {threads} {elapsed_ns:s} {lost_ns:s} {useful_percent:%} {imbalance_percent:%} {scheduling_percent:%} " \
    "{locks_percent:%} {parallel_region}"
TEXTS = {
    "": {"events": (None, "{code} {events}")},
    "--mpi": {
        "all": ("rank function calls seconds % bytes sent received", "all " + CALLS),
        "by_rank": (None, "{rank} " + CALLS),
    },
    "--callsites": {
        "all": ("rank function calls seconds % bytes sent received called by", "all " + CALLS + " {called_by}"),
        "by_rank": (None, "{rank} " + CALLS + " {called_by}"),
    },
    "--locks": {
        "all": ("rank kind object waits seconds % longest threads that had it: waits, seconds", "all " + LOCKS),
        "by_rank": (None, "{rank} " + LOCKS + " {holders}"),
    },
    "--regions": {
        "all": ("rank region visits seconds % without inner ranks of each: min mean max w/o: min mean max",
                "all " + REGION + " " + SPREAD),
        "by_rank": (None, "{rank} " + REGION),
    },
    "--counters": {
        "all": (None, "all {place} {time_ns:s} {instructions_per_cycle:r} {ghz:r} {counts}"),
        "by_rank": (None, "{rank} {place} {time_ns:s} {instructions_per_cycle:r} {ghz:r} {counts}"),
    },
    "--messages": {
        "sizes": ("messages bytes each", "{messages} {min_bytes} to {max_bytes}"),
        "pairs": ("from to messages bytes", "{sender} {receiver} {messages} {bytes}"),
    },
    "--waits": {
        "by_kind": ("seconds % certain times wait in", WAITS + " {wait} {function}"),
        "by_rank": ("seconds % certain times who waits for", WAITS + " {rank:rank} {cause_rank:rank}"),
        "longest": ("seconds % since no. who waits wait for",
                    "{time_ns:s} {share_percent:%} {since_ns:9} {number} {rank:rank} {wait} {cause_rank:rank}"),
        "delays": ("short-term long-term % delay of in region",
                   "{short_term_ns:s} {long_term_ns:s} {share_percent:%} {rank:rank} {function:outside} {region}"),
    },
    "--pop": {
        "in_short": (None, "{sentence}"),
        "run": (None, "{ranks} ranks, {runtime_ns:s} s from MPI_Init to MPI_Finalize, {ideal_runtime_ns:s} s in an ideal network"),
        "regions": ("ranks seconds parallel balance serialisation transfer region",
                    "{ranks} {runtime_ns:s} {parallel_efficiency:3} {load_balance:3} {serialisation_efficiency:3} "
                    "{transfer_efficiency:3} {region}"),
        "hybrid_regions": ("threads seconds hybrid MPI threads region",
                           "{threads} {runtime_ns:s} {parallel_efficiency:3} {mpi_parallel_efficiency:3} "
                           "{thread_efficiency:3} {region}"),
    },
    "--openmp": {
        "all": ("rank visits threads seconds lost useful % imbalance % scheduling % locks % parallel region", "all " + TEAMS),
        "by_rank": (None, "{rank} " + TEAMS),
    },
}
EFFICIENCIES = ("parallel_efficiency", "load_balance", "communication_efficiency", "serialisation_efficiency",
                "transfer_efficiency")
MOST_ROWS = {"--waits": 20}


def fail(what):
    sys.exit(f"top_tables: {what}")


class Value:
    """A cell, formatted as the text of ovnitop has it."""

    def __init__(self, value):
        self.value = value

    def __format__(self, form):
        if form == "outside":
            return "the program" if self.value is None else self.value
        if self.value is None:
            return "-" if form else ""
        if form == "rank":
            return self.value if str(self.value).startswith("pid") else f"rank {self.value}"
        numbers = {"s": (1e-9, 6), "9": (1e-9, 9), "%": (1, 1), "3": (1, 3), "r": (1, 2)}
        if form not in numbers:
            return str(self.value)
        factor, digits = numbers[form]
        return f"{self.value / 1e9 if factor != 1 else self.value:.{digits}f}"


def words(line):
    return " ".join(line.split())


def printed(ovnitop, options):
    done = subprocess.run([ovnitop, *options], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{options}: {done.stderr}")
    return done.stdout


def compare_csv(text, tables):
    rows = list(csv.DictReader(io.StringIO(text)))
    for name, expected in tables.items():
        mine = [row for row in rows if len(tables) == 1 or row["table"] == name]
        if len(mine) != len(expected):
            fail(f"{name} has {len(expected)} rows as JSON, {len(mine)} as CSV")
        for ours, row in zip(mine, expected):
            for column, cell in ours.items():
                value = row.get(column)
                if column == "table" and len(tables) > 1:
                    continue
                same = float(cell) == value if isinstance(value, float) else cell == ("" if value is None else str(value))
                if not same:
                    fail(f"{name}.{column} is {value} as JSON, {cell} as CSV")
    if sum(map(len, tables.values())) != len(rows):
        fail("CSV has rows of no table")


def place_of(row):
    kind, name = row["kind"], row["name"]
    if kind == "outside":
        return "outside of regions and waits"
    if kind == "function":
        return name
    if kind == "region":
        return f"region {name}" if name else "in no region"
    return f"wait: {name}" if kind == "wait" else f"{kind} {name}"


def add_derived(option, table, row, tables):
    """Cells that only text has."""
    if option == "--locks" and table == "by_rank":
        held = [of for of in tables["holders"] if all(of[key] == row[key] for key in ("rank", "kind", "object"))]
        row["holders"] = ", ".join(f"{of['holder_tid']}: {of['waits']} for {of['time_ns'] / 1e9:.6f}" for of in held)
    if option == "--counters":
        row["place"] = place_of(row)
        known = ("rank", "kind", "name", "time_ns", "instructions_per_cycle", "ghz", "place")
        row["counts"] = " ".join(str(count) for column, count in row.items() if column not in known)


def compare_text(option, text, tables):
    lines = [words(line) for line in text.splitlines() if line]
    for name, (heading, form) in TEXTS.get(option, {}).items():
        expected = [heading] if heading and tables[name] else []
        for row in tables[name][:MOST_ROWS.get(option)]:
            cells = dict(row)
            add_derived(option, name, cells, tables)
            expected.append(words(form.format_map({column: Value(cell) for column, cell in cells.items()})))
        # Single numbers of bytes are no ranges.
        expected = [re.sub(r"^(\d+) (\d+) to \2$", r"\1 \2", line) for line in expected]
        at = lines.index(expected[0]) if expected and expected[0] in lines else 0
        if lines[at:at + len(expected)] != expected:
            fail(f"{name} is {expected} as JSON, as text\n{text}")
        del lines[at:at + len(expected)]
    return lines


def compare_sums(option, lines, tables):
    """Lines of text that are no tables."""
    if option == "--messages":
        sums = tables["sums"][0]
        expected = [f"{sums['messages']} messages with {sums['bytes']} bytes"]
    elif option == "--pop":
        expected = [f"{name.replace('_', ' ')} {tables['run'][0][name]:.3f}" for name in EFFICIENCIES]
        by_rank = {}
        for row in tables["critical_path"]:
            by_rank[row["rank"]] = by_rank.get(row["rank"], 0) + row["share_percent"]
        longest = sorted(by_rank.items(), key=lambda item: -item[1])[:5]
        expected.append("critical path, by rank: " + ", ".join(f"rank {rank} {share:.1f} %" for rank, share in longest))
    elif option == "reports":
        rows = tables["reports"]
        expected = [words(" ".join(row["report"] for row in rows)), "ranks " + " ".join(str(row["ranks"]) for row in rows)]
        expected.append("seconds " + " ".join(f"{row['runtime_ns'] / 1e9:.6f}" for row in rows))
        for name in EFFICIENCIES + ("computation_scaling", "global_efficiency"):
            expected.append(f"{name.replace('_', ' ')} " + " ".join(f"{row[name]:.3f}" for row in rows))
    elif option == "--matrix":
        name, rows = next(iter(tables.items()))
        expected = ["bytes, " + name.removeprefix("bytes_").replace("_", " ")]
        expected += [words(" ".join("-" if cell is None else str(cell) for cell in row.values())) for row in rows]
    else:
        expected = []
    for line in expected:
        if line not in lines:
            fail(f"text has no line '{line}' in\n" + "\n".join(lines))


def compare_help(ovnitop, option, header, tables):
    page = words(printed(ovnitop, ["--help", "tables"]))
    for name in header + list(tables):
        if name != "table" and not name.isdigit() and name != "page-faults" and not re.search(rf"\b{name}\b", page):
            fail(f"--help tables has no {name} of ovnitop {option}")


def main():
    ovnitop, given = sys.argv[1], sys.argv[2:]
    text, as_csv, as_json = (printed(ovnitop, form + given) for form in ([], ["--csv"], ["--json"]))
    tables = json.loads(as_json)
    option = next((word for word in reversed(given) if word.startswith("--")), "")
    if "reports" in tables:
        option = "reports"
    compare_csv(as_csv, tables)
    compare_sums(option, compare_text(option, text, tables), tables)
    compare_help(ovnitop, option, next(csv.reader(io.StringIO(as_csv))), tables)
    print(", ".join(f"{name} {len(rows)}" for name, rows in tables.items()))


if __name__ == "__main__":
    main()
