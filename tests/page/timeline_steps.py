"""The timeline of a page, as its user works with it: by pointer and by keys."""
import re
import tempfile
from pathlib import Path

from steps import BUILD, PIXELS, RANGE, SAID, SHIFT, TIMELINE, check, drag, focus, opens_quietly, place_of, run, span, texts


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


def zooms_by_dragging(page):
    """To the part that was dragged over; then back."""
    whole = page.run(RANGE)
    drag(page, TIMELINE, 0.5, 0.75)
    begin, end = page.run(RANGE)
    check(whole[0] < begin < end < whole[1], f"from {whole} to {begin, end}")
    check("are shown" in page.run(SAID), page.run(SAID))
    drag(page, TIMELINE, 0.5, 0.6)
    check(span(page) < end - begin, "it does not go on")
    focus(page, TIMELINE)
    page.press("Backspace")
    check(page.run(RANGE) == [begin, end], "Backspace does not go back")
    page.press("Backspace")
    check(page.run(RANGE) == whole, "Backspace does not go back to the whole")


def moves_by_dragging(page):
    focus(page, TIMELINE)
    for _ in range(3):
        page.press("+")
    before, length = page.run(RANGE), span(page)
    drag(page, TIMELINE, 0.6, 0.5, modifiers=SHIFT)
    check(page.run(RANGE)[0] > before[0] and abs(span(page) - length) <= 2, f"{before} stays at {page.run(RANGE)}")
    before = page.run(RANGE)
    drag(page, ".minimap", 0.3, 0.4)
    check(page.run(RANGE)[0] != before[0] and abs(span(page) - length) <= 2, f"the small picture leaves {before}")
    focus(page, ".minimap")
    before = page.run(RANGE)
    page.press("ArrowRight")
    check(page.run(RANGE)[0] > before[0], "arrows do not move the part that is seen")
    page.press("Home")
    check(page.run(RANGE)[0] == 0, "Home does not show all")


def has_rows_of_any_height(page):
    height = "+document.querySelector('#timeline').dataset.height"
    focus(page, TIMELINE)
    first = page.run(height)
    page.press("t")
    check(page.run(height) > first and "pixels tall" in page.run(SAID), page.run(SAID))
    page.press("f")
    page.press("f")
    check(page.run(height) < first, "rows are not flatter")
    page.run("[...document.querySelectorAll('#timeline .tools button')].find((b) => b.textContent === 'Taller rows').click()")
    check(abs(page.run(height) - first) <= 1, f"{first} became {page.run(height)}")


def filters_rows(page):
    rows = "+document.querySelector('#timeline').dataset.rows"
    whole = page.run(rows)
    focus(page, "#rows")
    page.call("Input.insertText", text="RANK 2")
    page.settle()
    check(0 < page.run(rows) < whole and "row" in page.run(SAID), f"{page.run(rows)} rows of {whole}")
    focus(page, TIMELINE)
    page.press("ArrowRight")
    check("rank 2" in page.run(SAID), page.run(SAID))
    page.run("(() => { const i = document.querySelector('#rows'); i.value = ''; i.dispatchEvent(new Event('input')); })()")
    page.settle()
    check(page.run(rows) == whole, "rows do not come back")
    focus(page, "#rows")
    page.call("Input.insertText", text="no such row")
    page.settle()
    check(page.run(rows) == 0, "there are rows left")
    focus(page, TIMELINE)
    page.press("n")
    check(page.run(rows) == whole and "is shown" in page.run(SAID), "a wait is not shown in rows that were filtered away")
    page.press("Home")


def axis_is_whole(page):
    """No text of the axis is wider than the room that is left for it."""
    page.run("""(() => { window.drawn = []; const text = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (what, x, y, ...rest) {
            const width = this.measureText(what).width;
            if (y === 12) window.drawn.push([what, this.textAlign === 'right' ? x : x + width]);
            return text.call(this, what, x, y, ...rest); }; })()""")
    width = page.run(f"document.querySelector('{TIMELINE}').clientWidth")
    focus(page, TIMELINE)
    for key in ("Home", "+", "+", "+", "Home"):
        page.press(key)
        drawn = page.run("window.drawn")
        check(drawn and all(end <= width for _, end in drawn), f"the axis of {width} pixels has {drawn}")


def legend_chooses(page):
    """An entry stands out while it has the focus, and is hidden by a click or a key."""
    entry = "#timeline .legend .meaning"
    names = texts(page, entry)
    check("computation" in names and len(names) >= 3, f"meanings are {names}")
    page.run("document.activeElement.blur()")
    page.settle()
    before = page.run(PIXELS)
    focus(page, entry)
    check(page.run(PIXELS) != before, "nothing stands out")
    page.press("Enter")
    check(page.run(f"document.querySelector('{entry}').getAttribute('aria-pressed')") == "false", "it is not hidden")
    check(page.run(SAID) == f"{names[0]} is hidden", page.run(SAID))
    page.run("document.activeElement.blur()")
    page.settle()
    check(page.run(PIXELS) != before, "hidden times are drawn")
    x, y, width, height = place_of(page, entry)
    page.mouse("mousePressed", x + width / 2, y + height / 2, button="left", clickCount=1)
    page.mouse("mouseReleased", x + width / 2, y + height / 2, button="left", clickCount=1)
    page.mouse("mouseMoved", 1, 1)
    page.run("document.activeElement.blur()")
    page.settle()
    check(page.run(PIXELS) == before, "a click does not bring it back")


def has_the_colours_of_plots(page):
    from meanings import FREQUENT, color_of_label

    entries = page.run("[...document.querySelectorAll('#timeline .legend .category')].map((e) =>"
                       " [e.textContent, getComputedStyle(e.querySelector('i')).backgroundColor])")
    known = [(name, colour) for name, colour in entries if name in FREQUENT]
    check(len(known) >= 3, f"the legend has {entries}")
    for name, colour in known:
        wanted = [round(255 * part) for part in color_of_label(name, frozenset(FREQUENT), "mpi")]
        ours = [int(part) for part in re.findall(r"\d+", colour)]
        check(all(abs(a - b) <= 1 for a, b in zip(ours, wanted)), f"{name} is {ours} here and {wanted} in plots")


def helpers_are_pale(page):
    """The second row, of a thread called progress, has the most frequent colour of the first one, mixed with the background."""
    frequent = """((row) => { const c = document.querySelector('%s'), counts = new Map();
        const {data} = c.getContext('2d').getImageData(170, 22 + 26 * row + 13, c.width - 170, 1);
        for (let i = 0; i < data.length; i += 4) {
            const strength = data[i + 3] / 255, key = [0, 1, 2].map((part) => Math.round(255 - strength * (255 - data[i + part]))).join();
            if (key !== '255,255,255') counts.set(key, (counts.get(key) ?? 0) + 1); }
        return [...counts].sort((a, b) => b[1] - a[1])[0][0].split(',').map(Number); })(%d)"""
    strong, pale = (page.run(frequent % (TIMELINE, row)) for row in (0, 1))
    check(all(abs(255 - 0.4 * (255 - a) - b) <= 2 for a, b in zip(strong, pale)), f"rows are {strong} and {pale}")


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
    rows = "+document.querySelector('#timeline').dataset.rows"
    hosts = page.run(rows)
    focus(page, "#rows")
    page.call("Input.insertText", text="TH")
    page.settle()
    check(page.run(rows) > hosts, "rows of closed hosts are not found")
