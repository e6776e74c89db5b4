#!/usr/bin/python3
"""page_in_browser.py BUILD: pages of --html in a headless Chromium. Exit status 77 where there is none."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import browser

BUILD = Path(sys.argv[1])
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_mpi_yield_when_idle": "1"}
HOSTILE = "</script><img src=x onerror=\"document.title='hit'\">'"

RANGE = "[+document.querySelector('#timeline').dataset.from, +document.querySelector('#timeline').dataset.to]"
SAID = "document.querySelector('#said').textContent"


def check(ok, what):
    if not ok:
        sys.exit(f"failed: {what}")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={**os.environ, **MPI})
    check(done.returncode == 0, f"{words}: {done.stderr}")


def page_of(trace, out):
    run(BUILD / "bin/ovniemu", "-o", out, "--html", out / "page.html", trace)
    return out / "page.html"


def heat_page(directory):
    """Of a real program, one of whose regions has a name that tries to be a program."""
    trace = directory / "heat"
    run("mpirun", "-n", 4, BUILD / "bin/ovnirun", "--counters", "page-faults", "-o", trace, BUILD / "tests/apps/heat", 256, 256, 40)
    for path in trace.rglob("stream.json"):
        path.write_text(path.read_text().replace('"halo"', json.dumps(HOSTILE)))
    return page_of(trace, directory / "heat_out")


def span(page):
    begin, end = page.run(RANGE)
    return end - begin


def place_of(page, selector):
    return page.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView();"
                    "const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()")


def opens_quietly(page, path):
    page.open(path)
    page.settle()
    check(page.messages == [], f"the console says {page.messages}")
    check(page.requests == [f"file://{path}"], f"it loads {page.requests}")
    check(page.run("document.title").startswith("Trace "), page.run("document.title"))
    check(page.run("document.querySelectorAll('img').length") == 0, "a name became an element")
    check(page.run("[...document.querySelectorAll('canvas,section,nav,select')].every((e) => e.tagName === 'SELECT'"
                   " || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby'))"), "a part has no name")


def names_are_texts(page):
    options = page.run("[...document.querySelectorAll('#efficiencies option')].map((o) => o.textContent)")
    check(HOSTILE in options, f"regions are {options}")


def begins_with_findings(page):
    lines = page.run("[...document.querySelectorAll('#short li')].map((e) => e.textContent)")
    check(0 < len(lines) <= 5 and all(line.endswith(".") for line in lines), f"in short: {lines}")
    check(page.run("document.querySelector('main > section').id") == "short", "it is not the first section")


def zooms(page):
    whole = span(page)
    page.run("document.querySelector('#timeline canvas').focus()")
    page.press("+")
    check(abs(span(page) - whole / 2) <= 1, f"{whole} became {span(page)}")
    page.press("-")
    check(abs(span(page) - whole) <= 1, f"it is {span(page)} of {whole}")
    x, y, width, height = place_of(page, "#timeline canvas")
    page.mouse("mouseWheel", x + width / 2, y + height / 2, deltaX=0, deltaY=-100)
    check(span(page) < whole, "the wheel does nothing")
    page.press("ArrowRight")
    check("rank 0" in page.run(SAID), page.run(SAID))
    page.press("ArrowDown")
    check("rank 1" in page.run(SAID), page.run(SAID))
    page.press("Home")
    check(span(page) == whole, "Home does not show all")
    page.press("n")
    check(span(page) < whole and "is shown" in page.run(SAID), page.run(SAID))
    page.press("Home")


def moves_by_dragging(page):
    for _ in range(3):
        page.press("+")
    x, y, width, height = place_of(page, "#timeline canvas")
    before = page.run(RANGE)
    page.mouse("mousePressed", x + width / 2, y + height / 2, button="left", clickCount=1)
    page.mouse("mouseMoved", x + width / 2 - 50, y + height / 2, button="left", buttons=1)
    page.mouse("mouseReleased", x + width / 2 - 50, y + height / 2, button="left", clickCount=1)
    check(page.run(RANGE)[0] > before[0], f"{before} stays at {page.run(RANGE)}")
    page.press("Home")


def explains_points(page):
    x, y, width, height = place_of(page, "#timeline canvas")
    page.mouse("mouseMoved", x + width / 2, y + height - 10)
    text = page.run("document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').textContent")
    check("rank 3" in text and "\n" in text, f"the tip says {text!r}")
    x, y, *_ = place_of(page, "#messages canvas")
    left, above = page.run("(({left, above}) => [+left, +above])(document.querySelector('#messages canvas').dataset)")
    page.mouse("mouseMoved", x + left + 30, y + above + 5)
    text = page.run("document.querySelector('.tip').textContent")
    check("rank 0 to rank 1" in text and "message" in text, f"the tip says {text!r}")


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


def shows_waits(page):
    command = page.run("[...document.querySelectorAll('#waits button')].find((b) => b.textContent === 'Copy ovnicut').title")
    check(command.startswith("ovnicut ") and "--ranks" in command, command)
    cut = Path(sys.argv[1]).joinpath("bin/ovnicut")
    with tempfile.TemporaryDirectory() as directory:
        run("sh", "-c", command.replace("ovnicut", str(cut), 1).replace("-o part", f"-o {directory}/part"))
        check((Path(directory) / "part").exists(), "nothing was cut")
    page.run("[...document.querySelectorAll('#waits button')].find((b) => b.textContent === 'Show').click()")
    page.settle()
    check("is shown" in page.run(SAID), page.run(SAID))
    begin, end = map(int, page.run("document.querySelector('#timeline').dataset.mark").split())
    seen = page.run(RANGE)
    check(seen[0] <= begin < end <= seen[1], f"the mark is from {begin} to {end} of {seen}")


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


def shows_counters_in_rows(page):
    """Page faults are counted everywhere. What is chosen has a scale, and is in the tip."""
    check(page.run("document.querySelector('#counted') !== null"), "no counter can be chosen")
    choose = "(() => {{ const s = document.querySelector('#counted'); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"
    choices = page.run("[...document.querySelectorAll('#counted option')].map((o) => o.textContent)")
    check(choices[:2] == ["none", "page-faults"], f"counters to choose from are {choices}")
    pixels = "document.querySelector('#timeline canvas').toDataURL()"
    page.settle()
    before = page.run(pixels)
    page.run(choose.format(0))
    page.settle()
    scale = page.run("document.querySelector('#scale').textContent")
    check(re.match(r"Full height: [1-9][\d.]* ([GMk] )?per second\. The amount", scale), scale)
    check(page.run(SAID) == "Rows show page-faults", page.run(SAID))
    check(page.run(pixels) != before, "no curve was drawn")
    page.run("document.querySelector('#timeline canvas').focus()")
    page.press("ArrowRight")
    check(re.search(r"page-faults: [\d.]+ ([GMk] )?per second, in [\d.]+ [mµn]?s", page.run(SAID)), page.run(SAID))
    page.run(choose.format(""))
    page.settle()
    check(page.run(SAID) == "Rows show no counter", page.run(SAID))


def folds_hosts(page, path):
    opens_quietly(page, path)
    height = "document.querySelector('.viewer').scrollHeight"
    folded = page.run(height)
    page.run("document.querySelector('#timeline canvas').focus()")
    page.press("Enter")
    check(page.run(height) > folded, "a host does not open")
    page.press("Enter")
    check(page.run(height) == folded, "a host does not close")


def main():
    if browser.program() is None:
        print("there is no Chromium (apt-get install chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = heat_page(directory)
        with browser.Browser() as page:
            opens_quietly(page, path)
            for part in (names_are_texts, begins_with_findings, zooms, moves_by_dragging, explains_points, sorts, filters, shows_waits, has_a_scale,
                         has_headings, has_counters, shows_counters_in_rows):
                part(page)
            check(page.messages == [], f"the console says {page.messages}")
        with browser.Browser(dark=True) as page:
            opens_quietly(page, path)
            back = page.run("getComputedStyle(document.body).backgroundColor")
            check(back == "rgb(20, 24, 28)", f"the dark page is {back}")
        many = directory / "many"
        run(BUILD / "bin/random-trace", "--looms", 20, "--processes", 2, "--threads", 2, "--models", "OM", many)
        with browser.Browser() as page:
            folds_hosts(page, page_of(many, directory / "many_out"))


main()
