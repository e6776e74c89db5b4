#!/usr/bin/python3
"""page_in_browser.py BUILD: pages of --html in a headless Chromium. Exit status 77 where there is none."""
import json
import sys
import tempfile
from pathlib import Path

import browser
import head_steps as head
from steps import BUILD, check, opens_quietly, page_of, run, texts

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/plots"))

import timeline_steps as timeline  # noqa: E402

HOSTILE = "</script><img src=x onerror=\"document.title='hit'\">'"


def traced(directory, ranks, *command):
    trace = directory / "trace"
    run("mpirun", "-n", ranks, BUILD / "bin/ovnirun", "--counters", "page-faults", "-o", trace, *command)
    return trace


def heat_page(directory, program=BUILD / "tests/apps/heat"):
    """Of a real program, one of whose regions has a name that tries to be a program."""
    trace = traced(directory, 4, program, 256, 256, 40)
    for path in trace.rglob("stream.json"):
        path.write_text(path.read_text().replace('"halo"', json.dumps(HOSTILE)))
    return page_of(trace, directory / "out")


def page_without_regions(directory):
    """The thread of rank 1 has the name of a helper."""
    trace = traced(directory, 2, BUILD / "tests/apps/ping_pong", 20)
    for path in trace.rglob("stream.json"):
        stream = json.loads(path.read_text())
        if stream["ovni"].get("rank") == 1:
            stream["ovni"]["name"] = "progress"
        path.write_text(json.dumps(stream))
    return page_of(trace, directory / "out")


def page_without_symbols(directory):
    run("strip", "-o", directory / "program", BUILD / "tests/apps/heat")
    return heat_page(directory, directory / "program")


def names_are_texts(page):
    options = page.run("[...document.querySelectorAll('#efficiencies option')].map((o) => o.textContent)")
    check(HOSTILE in options, f"regions are {options}")


def sorts(page):
    names = "[...document.querySelectorAll('#functions table')[0].querySelectorAll('tbody th')].map((e) => e.textContent)"
    page.run("document.querySelectorAll('#functions table')[0].querySelector('thead button').click()")
    shown = page.run(names)
    check(shown == sorted(shown) and len(shown) > 3, f"sorted are {shown}")
    check(page.run("document.querySelector('#functions thead th').getAttribute('aria-sort')") == "ascending", "aria-sort")
    page.run("document.querySelectorAll('#functions table')[0].querySelector('thead button').focus()")
    page.press("Enter")
    check(page.run(names) == shown[::-1], f"then {page.run(names)}")


def filters(page):
    page.run("document.querySelectorAll('#functions input')[1].focus()")
    page.call("Input.insertText", text="rank 2")
    rows = page.run("[...document.querySelectorAll('#functions table')[1].querySelectorAll('tbody th')].map((e) => e.textContent)")
    check(len(rows) > 3 and set(rows) == {"rank 2"}, f"left are {rows}")


def has_a_scale(page):
    """The shades of the matrix, up to what the table below says is most."""
    scale = "[...document.querySelectorAll('#messages [aria-label=\"Scale of the shades\"] li')].map((e) => e.textContent)"
    cells = "[...document.querySelectorAll('#messages details tbody tr')].map((r) => [...r.children].map((e) => e.textContent))"
    check(page.run(scale)[-1] == page.run(cells)[0][3], f"the scale is {page.run(scale)}")
    page.run("(() => { const s = document.querySelector('#messages select'); s.value = 'messages'; "
             "s.dispatchEvent(new Event('change')); })()")
    check(page.run(scale)[-1] in [cell[2] for cell in page.run(cells)], f"the scale of messages is {page.run(scale)}")


def has_headings(page):
    bare = page.run("[...document.querySelectorAll('table')].filter((t) => !t.closest('section').querySelector('h3')"
                    " && !t.closest('details')).map((t) => t.querySelector('caption').textContent)")
    check(bare == [], f"tables without a heading: {bare}")


def has_counters(page):
    heads = page.run("[...document.querySelectorAll('#counters thead')].map((e) => e.textContent)")
    check(len(heads) >= 2 and all("page-faults" in head for head in heads), f"counters are {heads}")


def has_no_empty_columns(page, path):
    """A run without regions has no column for them."""
    opens_quietly(page, path)
    check(len(texts(page, "#waits thead")) >= 2, "there are no waits")
    empty = page.run("""[...document.querySelectorAll('table')].flatMap((t) => [...t.querySelectorAll('thead th')]
        .filter((head, place) => place > 0 && [...t.querySelectorAll('tbody tr')]
            .every((row) => ['', '(none)'].includes(row.children[place].textContent)))
        .map((head) => `${t.querySelector('caption').textContent}: ${head.textContent}`))""")
    check(empty == [], f"empty columns: {empty}")


def callers_stand_once(page, path):
    """The address of a caller without a name is not repeated as its line."""
    opens_quietly(page, path)
    callers = page.run("[...document.querySelectorAll('#callsites tbody tr')].map((r) => r.children[1].textContent)")
    words = [caller.split() for caller in callers]
    check(words and all(a != b for each in words for a, b in zip(each, each[1:])), f"callers are {callers}")


def has_durations(page):
    """The bars count the calls of the function, or its processes."""
    counts = "[...document.querySelectorAll('.histogram li span:last-child')].map((e) => parseInt(e.textContent.replaceAll(' ', '')) || 0)"
    calls = dict(page.run("[...document.querySelectorAll('#functions table')[0].querySelectorAll('tbody tr')].map((r) =>"
                          " [r.children[0].textContent, +r.children[1].textContent.replaceAll(' ', '')])"))
    names = texts(page, "#durations option")
    check(set(names) == set(calls), f"{names} of {calls}")
    for name in names:
        page.run(f"(() => {{ const s = document.querySelector('#durations'); s.value = '{name}'; s.dispatchEvent(new Event('change')); }})()")
        note = page.run("document.querySelector('.histogram').previousElementSibling.textContent")
        check(note.startswith("All ") and sum(page.run(counts)) == calls[name], f"{name}: {note} {page.run(counts)} of {calls[name]}")


def has_mean_durations(page, path):
    """The page has no single calls of long traces: the bars count processes."""
    opens_quietly(page, path)
    note, bars = page.run("document.querySelector('.histogram').previousElementSibling.textContent"), texts(page, ".histogram li")
    check("no single calls" in note and any("process" in bar for bar in bars), f"{note} {bars}")


def explains_words(page):
    """Marked words have a tip, and lead to the list at the end."""
    words = page.run("[...document.querySelectorAll('a.word')].map((a) => [a.textContent, a.querySelector('abbr').title,"
                     " document.getElementById(a.getAttribute('href').slice(1))?.nextElementSibling.textContent])")
    check(len(words) >= 5 and all(title and title == text for _, title, text in words), f"words are {words}")
    listed = texts(page, "#words dt")
    wanted = {"loom", "certain", "long-term", "short-term", "serialisation", "transfer", "load balance", "critical path"}
    check(wanted <= set(listed), f"the list has {listed}")


def main():
    if browser.program() is None:
        print("there is no Chromium (apt-get install chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = heat_page(directory)
        with browser.Browser(height=800, width=1280) as page:
            opens_quietly(page, path)
            for part in (head.timeline_is_on_the_first_screen, head.begins_with_findings, head.says_what_ran, head.has_four_tiles,
                         names_are_texts, timeline.zooms, timeline.zooms_by_dragging, timeline.moves_by_dragging,
                         timeline.has_rows_of_any_height, timeline.filters_rows, timeline.legend_chooses,
                         timeline.has_the_colours_of_plots, timeline.explains_points, sorts, filters, timeline.shows_waits,
                         has_a_scale, has_headings, has_durations, explains_words,
                         has_counters, timeline.shows_counters_in_rows, timeline.axis_is_whole, head.badges_fit, head.prints_without_buttons):
                part(page)
            check(page.messages == [], f"the console says {page.messages}")
        with browser.Browser(dark=True, width=400) as page:
            opens_quietly(page, path)
            back = page.run("getComputedStyle(document.body).backgroundColor")
            check(back == "rgb(20, 24, 28)", f"the dark page is {back}")
            head.fits_in_narrow_windows(page)
        many, bare, plain = (directory / name for name in ("many", "bare", "plain"))
        bare.mkdir()
        plain.mkdir()
        run(BUILD / "bin/random-trace", "--looms", 20, "--processes", 2, "--threads", 2, "--models", "OM", many)
        with browser.Browser() as page:
            callers_stand_once(page, page_without_symbols(bare))
        with browser.Browser() as page:
            has_no_empty_columns(page, page_without_regions(plain))
            timeline.helpers_are_pale(page)
        with browser.Browser() as page:
            long = directory / "long"
            run(BUILD / "bin/random-trace", "--looms", 4, "--events", 40000, "--models", "OM", long)
            has_mean_durations(page, page_of(long, directory / "long_out"))
        with browser.Browser() as page:
            timeline.folds_hosts(page, page_of(many, directory / "many_out"))
            head.threads_have_a_section(page)


main()
