"""The timeline of a page, as its user works with it: by pointer and by keys."""
import re
import tempfile
from pathlib import Path

from steps import BUILD, PIXELS, RANGE, SAID, TIMELINE, check, drag, focus, opens_quietly, place_of, run, span


def zooms(page):
    whole = span(page)
    focus(page, TIMELINE)
    page.press("+")
    check(abs(span(page) - whole / 2) <= 1, f"{whole} became {span(page)}")
    page.press("-")
    check(abs(span(page) - whole) <= 1, f"it is {span(page)} of {whole}")
    x, y, width, height = place_of(page, TIMELINE)
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
    focus(page, TIMELINE)
    for _ in range(3):
        page.press("+")
    before = page.run(RANGE)
    drag(page, TIMELINE, 0.6, 0.5)
    check(page.run(RANGE)[0] > before[0], f"{before} stays at {page.run(RANGE)}")
    page.press("Home")


def explains_points(page):
    x, y, width, height = place_of(page, TIMELINE)
    page.mouse("mouseMoved", x + width / 2, y + height - 10)
    text = page.run("document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').textContent")
    check("rank 3" in text and "\n" in text, f"the tip says {text!r}")
    x, y, *_ = place_of(page, "#messages canvas")
    left, above = page.run("(({left, above}) => [+left, +above])(document.querySelector('#messages canvas').dataset)")
    page.mouse("mouseMoved", x + left + 30, y + above + 5)
    text = page.run("document.querySelector('.tip').textContent")
    check("rank 0 to rank 1" in text and "message" in text, f"the tip says {text!r}")


def shows_waits(page):
    command = page.run("[...document.querySelectorAll('#waits button')].find((b) => b.textContent === 'Copy ovnicut').title")
    check(command.startswith("ovnicut ") and "--ranks" in command, command)
    cut = BUILD / "bin/ovnicut"
    with tempfile.TemporaryDirectory() as directory:
        run("sh", "-c", command.replace("ovnicut", str(cut), 1).replace("-o part", f"-o {directory}/part"))
        check((Path(directory) / "part").exists(), "nothing was cut")
    page.run("[...document.querySelectorAll('#waits button')].find((b) => b.textContent === 'Show').click()")
    page.settle()
    check("is shown" in page.run(SAID), page.run(SAID))
    begin, end = map(int, page.run("document.querySelector('#timeline').dataset.mark").split())
    seen = page.run(RANGE)
    check(seen[0] <= begin < end <= seen[1], f"the mark is from {begin} to {end} of {seen}")


def shows_counters_in_rows(page):
    """Page faults are counted everywhere. What is chosen has a scale, and is in the tip."""
    check(page.run("document.querySelector('#counted') !== null"), "no counter can be chosen")
    choose = "(() => {{ const s = document.querySelector('#counted'); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"
    choices = page.run("[...document.querySelectorAll('#counted option')].map((o) => o.textContent)")
    check(choices[:2] == ["none", "page-faults"], f"counters to choose from are {choices}")
    page.settle()
    before = page.run(PIXELS)
    page.run(choose.format(0))
    page.settle()
    scale = page.run("document.querySelector('#scale').textContent")
    check(re.match(r"Full height: [1-9][\d.]* ([GMk] )?per second\. The amount", scale), scale)
    check(page.run(SAID) == "Rows show page-faults", page.run(SAID))
    check(page.run(PIXELS) != before, "no curve was drawn")
    focus(page, TIMELINE)
    page.press("ArrowRight")
    check(re.search(r"page-faults: [\d.]+ ([GMk] )?per second, in [\d.]+ [mµn]?s", page.run(SAID)), page.run(SAID))
    page.run(choose.format(""))
    page.settle()
    check(page.run(SAID) == "Rows show no counter", page.run(SAID))


def folds_hosts(page, path):
    opens_quietly(page, path)
    height = "document.querySelector('.viewer').scrollHeight"
    folded = page.run(height)
    focus(page, TIMELINE)
    page.press("Enter")
    check(page.run(height) > folded, "a host does not open")
    page.press("Enter")
    check(page.run(height) == folded, "a host does not close")
