"""Steps that all tests of the page in a browser share: what they check, run and look at."""
import json
import os
import subprocess
import sys
from pathlib import Path

BUILD = Path(sys.argv[1])
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_mpi_yield_when_idle": "1"}

RANGE = "[+document.querySelector('#timeline').dataset.from, +document.querySelector('#timeline').dataset.to]"
SAID = "document.querySelector('#said').textContent"
TIMELINE = "#timeline .viewer canvas"
PIXELS = f"document.querySelector('{TIMELINE}').toDataURL()"
SHIFT = 8  # of the DevTools protocol


def check(ok, what):
    if not ok:
        sys.exit(f"failed: {what}")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={**os.environ, **MPI})
    check(done.returncode == 0, f"{words}: {done.stderr}")


def page_of(trace, out):
    run(BUILD / "bin/ovniemu", "-o", out, "--html", out / "page.html", trace)
    return out / "page.html"


def opens_quietly(page, path):
    page.open(path)
    page.settle()
    check(page.messages == [], f"the console says {page.messages}")
    check(page.requests == [f"file://{path}"], f"it loads {page.requests}")
    check(page.run("document.title").startswith("Trace "), page.run("document.title"))
    check(page.run("document.querySelectorAll('img').length") == 0, "a name became an element")
    check(page.run("[...document.querySelectorAll('canvas,section,nav,select')].every((e) => e.tagName === 'SELECT'"
                   " || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby'))"), "a part has no name")


def span(page):
    begin, end = page.run(RANGE)
    return end - begin


def place_of(page, selector):
    return page.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView();"
                    "const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()")


def focus(page, selector):
    page.run(f"document.querySelector({json.dumps(selector)}).focus()")
    page.settle()


def drag(page, selector, begin, end, modifiers=0):
    """begin, end: parts of the width of the element."""
    x, y, width, height = place_of(page, selector)
    at = {"y": y + height / 2, "button": "left", "modifiers": modifiers}
    page.mouse("mousePressed", x + begin * width, clickCount=1, **at)
    for part in (0.5, 1):
        page.mouse("mouseMoved", x + (begin + part * (end - begin)) * width, buttons=1, **at)
    page.mouse("mouseReleased", x + end * width, clickCount=1, **at)


def texts(page, selector):
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")
