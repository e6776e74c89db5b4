// The timeline: rows of threads, or of hosts that open to their threads, on a canvas that zooms.

function look(from, to) {
  const whole = Math.max(timeline.end, smallestSpan);
  const span = Math.min(whole, Math.max(smallestSpan, to - from));
  view.from = Math.max(0, Math.min(from, whole - span));
  view.to = view.from + span;
  section("timeline").dataset.from = Math.round(view.from);
  section("timeline").dataset.to = Math.round(view.to);
  hideTip();
  seen.textContent = `${momentText(view.from, span / 1000, view.to)} to ${momentText(view.to, span / 1000)}`;
  drawSoon();
}

// factor < 1: closer. The time stays where it is.
function zoom(factor, time) {
  look(time - (time - view.from) * factor, time + (view.to - time) * factor);
}

// Views that the user can go back to.
const earlier = [];

function zoomTo(from, to) {
  earlier.push([view.from, view.to]);
  look(from, to);
  announce(`${timeText(view.to - view.from)} are shown`);
}

function lookBack() {
  look(...earlier.pop() ?? [0, timeline.end]);
  announce(`${timeText(view.to - view.from)} are shown`);
}

function zoomAtCursor(factor) {
  const {time} = view.cursor;
  zoom(factor, time >= view.from && time <= view.to ? time : (view.from + view.to) / 2);
  announce(`${timeText(view.to - view.from)} are shown`);
}

const seen = element("span", {id: "seen"});

const toolButton = (name, act, title) => element("button", {type: "button", onclick: act, title: title ?? null}, name);

function timelineTools() {
  const hostTools = isFolded && canOpen ? [toolButton("Open all hosts", () => {
    timeline.hosts.names.forEach((_, host) => view.open.add(host));
    showRows();
  }), toolButton("Close all hosts", () => { view.open.clear(); showRows(); })] : [];
  return element("div", {class: "tools"}, toolButton("Zoom in", () => zoomAtCursor(0.5), "Key +"),
    toolButton("Zoom out", () => zoomAtCursor(2), "Key -"), toolButton("Back", lookBack, "Key Backspace"),
    toolButton("All", () => look(0, timeline.end), "Key Home"), toolButton("Next wait", () => nextWait(1), "Key n"),
    toolButton("Taller rows", tallerRows, "Key t"), toolButton("Flatter rows", flatterRows, "Key f"), element("label", {}, "Rows ", rowInput), ...hostTools,
    regionChoice(), seen, counterChoice());
}

function showTimeline() {
  canvas = element("canvas", {tabindex: "0", role: "application", "aria-roledescription": "timeline",
    "aria-label": "Timeline of the rows. Arrows move the cursor, plus and minus zoom, Backspace goes back, Home shows all, "
      + "t and f make rows taller and flatter, n and p go to the longest waits, Enter opens a host."});
  spacer = element("div");
  viewer = element("div", {class: "viewer"}, canvas, spacer);
  learnTheme();
  section("timeline").append(timelineTools(), minimapView(), viewer, legend(), ...[legendOfLines()].filter(Boolean),
    element("p", {class: "note"}, "Drag over a part to zoom to it; with Shift, or in the small picture of the whole run, to move. "
      + "The wheel zooms with Ctrl or Shift, or once the timeline has the focus. Keys: arrows, + and -, Backspace, Home, t and f "
      + "for taller and flatter rows, n and p for waits. Point at an entry of the legend to see it alone, click to hide it. "
      + (isFolded ? "A row is a host, with its number of threads; Enter or a click on its name opens it." : "")));
  listenToGestures();
  viewer.addEventListener("scroll", drawSoon);
  new ResizeObserver(drawSoon).observe(viewer);
  window.addEventListener("beforeprint", draw);
  onThemeChange(() => { learnTheme(); drawSoon(); });
  showRows();
  look(0, timeline.end);
}
