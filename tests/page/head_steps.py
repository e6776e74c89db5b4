"""The first screen of a page, and how the page fits windows of other sizes."""
import re

from steps import TIMELINE, check, texts


def begins_with_findings(page):
    lines = texts(page, "#short li")
    check(0 < len(lines) <= 5 and all(line.endswith(".") for line in lines), f"in short: {lines}")
    check(page.run("document.querySelector('main > section').id") == "short", "it is not the first section")


def says_what_ran(page):
    check(texts(page, "#title") == ["heat 256 256 40"], texts(page, "#title"))
    subtitle = texts(page, "#subtitle")[0]
    check(re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC · 4 ranks on 1 node · ", subtitle), subtitle)


def has_four_tiles(page):
    """Their numbers are those of the sections that they lead to."""
    names = texts(page, "#tiles .name")
    check(names == ["Runtime", "Parallel efficiency", "Largest loss", "Quality of the trace"], names)
    values = texts(page, "#tiles strong")
    ratios = dict(zip(texts(page, "#efficiencies .tree strong"), texts(page, "#efficiencies .ratio")))
    check(values[1] == ratios["Parallel efficiency"], f"{values} of {ratios}")
    kept = [float(ratios[f"{name} efficiency" if name != "Load balance" else name].split()[0])
            for name in ("Load balance", "Serialisation", "Transfer")]
    lost = float(values[2].split(", ")[1].split()[0])
    check(abs(100 - min(kept) - lost) <= 1, f"{values} of {ratios}")
    check(page.run("[...document.querySelectorAll('#tiles a')].every((a) => document.querySelector(a.getAttribute('href')))"), "links")


def timeline_is_on_the_first_screen(page):
    page.run("scrollTo(0, 0)")
    top, rows = page.run(f"(({{top}}) => [top, top + 22 + 26])(document.querySelector('{TIMELINE}').getBoundingClientRect())")
    check(page.run("innerHeight") == 800 and 0 < rows < 800, f"the timeline begins at {top}")


def fits_in_narrow_windows(page):
    width = page.run("document.documentElement.scrollWidth")
    check(width <= 400, f"the page is {width} pixels wide")
    check(page.run(f"document.querySelector('{TIMELINE}').clientWidth") > 250, "the timeline is too narrow")


def badges_fit(page):
    """However long its word is, it stands inside of the frame."""
    page.run("document.querySelectorAll('.checks > li > b').forEach((b) => { b.textContent = 'immeasurable'; })")
    wide = page.run("[...document.querySelectorAll('.checks > li > b')].map((b) => [b.scrollWidth, b.clientWidth])")
    check(wide and all(text <= frame for text, frame in wide), f"badges are {wide}")


def prints_without_buttons(page):
    page.call("Emulation.setEmulatedMedia", media="print")
    shown = page.run("['nav', '.tools', '.skip', '.tiles'].map((of) => getComputedStyle(document.querySelector(of)).display)")
    check(shown == ["none", "none", "none", "grid"], f"on paper: {shown}")
    page.call("Emulation.setEmulatedMedia", media="")


def threads_have_a_section(page):
    """Of a trace whose processes have several threads."""
    captions = texts(page, "#threads caption")
    check(captions[:2] == ["Hybrid efficiencies", "Time of threads by process"], captions)
    value = texts(page, "#tiles strong")[1]
    of_run = texts(page, "#threads tbody tr:first-child td")[2]
    check(value == of_run, f"{value} in the tile, {of_run} in the section")
