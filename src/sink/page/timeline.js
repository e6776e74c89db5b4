// The timeline: rows of threads, or of hosts that open to their threads, on a canvas that zooms. It follows the
// pointer, the wheel and the keys.

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

function itemAt(event) {
  const {top: canvasTop, left} = canvas.getBoundingClientRect();
  const y = event.clientY - canvasTop, x = event.clientX - left;
  const place = Math.floor((y - top + viewer.scrollTop) / rowHeight);
  return {place, x, y, item: y < top ? undefined : shown[place]};
}

function toggleHost(host) {
  if (!canOpen) return;
  if (view.open.has(host)) view.open.delete(host);
  else view.open.add(host);
  showRows();
  announce(`${timeline.hosts.names[host]} ${view.open.has(host) ? "is open" : "is closed"}`);
}

function showRows() {
  shown = shownRows();
  const height = top + shown.length * rowHeight;
  const border = viewer.offsetHeight - viewer.clientHeight;
  viewer.style.height = `${Math.min(height, Math.max(240, Math.round(innerHeight * 0.7))) + border}px`;
  spacer.style.height = `${Math.max(0, height - viewer.clientHeight)}px`;
  view.cursor.row = Math.min(view.cursor.row, Math.max(0, shown.length - 1));
  drawSoon();
}

function announceCursor() {
  const item = shown[view.cursor.row];
  if (item) announce(textAt(item, view.cursor.time).replaceAll("\n", ", "));
}

function moveCursor(rows, pixels) {
  const {cursor} = view;
  cursor.row = Math.max(0, Math.min(shown.length - 1, cursor.row + rows));
  const y = cursor.row * rowHeight;
  if (y < viewer.scrollTop) viewer.scrollTop = y;
  if (y + rowHeight > viewer.scrollTop + viewer.clientHeight - top)
    viewer.scrollTop = y + rowHeight - viewer.clientHeight + top;
  if (cursor.time < view.from || cursor.time > view.to) cursor.time = (view.from + view.to) / 2;
  cursor.time = Math.max(0, Math.min(timeline.end, cursor.time + pixels / plotWidth() * (view.to - view.from)));
  const span = view.to - view.from;
  if (cursor.time < view.from || cursor.time > view.to) look(cursor.time - span / 2, cursor.time + span / 2);
  drawSoon();
  announceCursor();
}

const keys = {
  ArrowLeft: (far) => moveCursor(0, far ? -plotWidth() / 4 : -10),
  ArrowRight: (far) => moveCursor(0, far ? plotWidth() / 4 : 10),
  ArrowUp: () => moveCursor(-1, 0),
  ArrowDown: () => moveCursor(1, 0),
  "+": () => zoomAtCursor(0.5),
  "=": () => zoomAtCursor(0.5),
  "-": () => zoomAtCursor(2),
  Home: () => look(0, timeline.end),
  0: () => look(0, timeline.end),
  n: () => nextWait(1),
  p: () => nextWait(-1),
  Enter: () => {
    const item = shown[view.cursor.row];
    if (item?.host !== undefined) toggleHost(item.host);
    else announceCursor();
  },
};

function zoomAtCursor(factor) {
  const {time} = view.cursor;
  zoom(factor, time >= view.from && time <= view.to ? time : (view.from + view.to) / 2);
  announce(`${timeText(view.to - view.from)} are shown`);
}

// A window of the page comes into view, with its rows. The time that was asked for gets a mark.
function showWindow(window, {from, to, name}) {
  view.mark = {row: window?.row, from, to, name};
  section("timeline").dataset.mark = `${from} ${to}`;
  for (const row of window?.clips.keys() ?? []) if (isFolded && canOpen) view.open.add(timeline.rows.hosts[row]);
  showRows();
  const place = shown.findIndex((item) => item.row === window?.row);
  if (place >= 0) view.cursor.row = place;
  view.cursor.time = from;
  look(from - (to - from) / 4, to + (to - from) / 4);
  viewer.scrollTop = Math.max(0, (view.cursor.row - 4) * rowHeight);
}

function windowOfWait(wait) {
  return details.find((window) => window.wait && window.wait[0] === wait.from && window.wait[1] === wait.to
    && timeline.rows.processes[window.row] === wait.process) ?? details.find((window) => window.kind === "whole");
}

// Undefined where the page does not know it.
function rowOfWait(wait) {
  const window = windowOfWait(wait);
  return window?.kind === "wait" ? window.row : undefined;
}

function showWait(wait) {
  const window = windowOfWait(wait), row = timeline.rows.processes.indexOf(wait.process);
  showWindow({...window, row: window?.row ?? (row < 0 ? undefined : row)}, {from: wait.from, to: wait.to, name: wait.wait});
  section("timeline").scrollIntoView();
  canvas.focus({preventScroll: true});
  announce(`${wait.wait} of ${processName(wait.process)} is shown`);
}

let waitPlace = -1;
function nextWait(step) {
  const all = report.waits?.longest ?? [];
  if (all.length === 0) return announce("There are no waits");
  waitPlace = (waitPlace + step + all.length) % all.length;
  showWait(all[waitPlace]);
}

function legend() {
  const most = 24;
  const coloured = timeline.categories.map((_, place) => place).filter((place) => categoryColour(place));
  const items = coloured.slice(0, most).map((place) => {
    const swatch = element("i");
    swatch.style.background = categoryColour(place);
    return element("li", {}, swatch, categoryName(place));
  });
  const more = coloured.length - most;
  if (more > 0) items.push(element("li", {class: "note"}, `and ${more} more`));
  return element("ul", {class: "legend", "aria-label": "Colours"}, items);
}

// The thin lines of rows: above regions, below waits.
function legendOfLines() {
  const most = 12;
  const swatch = (colour) => {
    const made = element("i");
    made.style.background = colour;
    return made;
  };
  const items = timeline.regions.slice(0, most).map((name, place) => element("li", {}, swatch(regionColour(place)), name));
  const more = timeline.regions.length - most;
  if (more > 0) items.push(element("li", {class: "note"}, `and ${more} more`));
  if (items.length > 0) items.unshift(element("li", {class: "note"}, "Upper line, regions:"));
  if (Object.keys(timeline.waits).length > 0)
    items.push(element("li", {class: "note"}, "Lower line, close by:"), element("li", {}, swatch("var(--mark)"), "waits"));
  return items.length > 0 ? element("ul", {class: "legend", "aria-label": "Colours of regions and waits"}, items) : null;
}

function regionChoice() {
  const windows = details.filter((window) => window.kind === "region");
  if (windows.length === 0) return null;
  const select = element("select", {onchange: () => {
    const window = windows[select.value];
    if (window) showWindow(window, window);
  }}, element("option", {value: ""}, "choose"),
  windows.map((window, place) => element("option", {value: place}, window.name)));
  const left = timeline.entered_regions - windows.length;
  return element("label", {}, "First instance of region ", select,
    left > 0 ? ` (of ${numberText(timeline.entered_regions)}; later ones are left out)` : null);
}

const seen = element("span", {id: "seen"});

function drag(event) {
  if (event.button !== 0) return;
  const {x} = itemAt(event);
  const begin = {x, from: view.from, to: view.to, moved: false};
  const move = (to) => {
    const by = (itemAt(to).x - begin.x) / plotWidth() * (begin.to - begin.from);
    if (Math.abs(itemAt(to).x - begin.x) > 3) begin.moved = true;
    if (begin.moved) look(begin.from - by, begin.to - by);
  };
  const end = (to) => {
    canvas.removeEventListener("pointermove", move);
    if (begin.moved) return;
    const {place, item, x: at} = itemAt(to);
    if (!item) return;
    view.cursor.row = place;
    if (at < gutter && item.host !== undefined) toggleHost(item.host);
    else view.cursor.time = Math.max(0, timeOf(at));
    drawSoon();
  };
  canvas.setPointerCapture(event.pointerId);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", end, {once: true});
}

function showTimeline() {
  canvas = element("canvas", {tabindex: "0", role: "application", "aria-roledescription": "timeline",
    "aria-label": "Timeline of the rows. Arrows move the cursor, plus and minus zoom, Home shows all, "
      + "n and p go to the longest waits, Enter opens a host."});
  spacer = element("div");
  viewer = element("div", {class: "viewer"}, canvas, spacer);
  const button = (name, act) => element("button", {type: "button", onclick: act}, name);
  const allRows = isFolded && canOpen ? button("Open all hosts", () => {
    timeline.hosts.names.forEach((_, host) => view.open.add(host));
    showRows();
  }) : null;
  const fold = isFolded && canOpen ? button("Close all hosts", () => { view.open.clear(); showRows(); }) : null;
  section("timeline").append(
    element("div", {class: "tools"}, button("Zoom in", () => zoomAtCursor(0.5)), button("Zoom out", () => zoomAtCursor(2)),
      button("All", () => look(0, timeline.end)), button("Next wait", () => nextWait(1)), allRows, fold,
      regionChoice(), seen, counterChoice()),
    viewer, legend(), ...[legendOfLines()].filter(Boolean),
    element("p", {class: "note"}, "The wheel zooms with Ctrl or Shift, or once the timeline has the focus; drag to "
      + "move. Keys: arrows, + and -, Home, n and p for waits. "
      + (isFolded ? "A row is a host, with its number of threads; Enter or a click on its name opens it." : "")));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(1.2 ** Math.sign(event.deltaY || event.deltaX), Math.max(view.from, timeOf(itemAt(event).x)));
  }, {passive: false});
  canvas.addEventListener("pointerdown", drag);
  canvas.addEventListener("pointermove", (event) => {
    const {item, x} = itemAt(event);
    if (item && x >= gutter) showTip(event.clientX, event.clientY, textAt(item, timeOf(x)));
    else if (item) showTip(event.clientX, event.clientY, item.name);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event.shiftKey);
  });
  viewer.addEventListener("scroll", drawSoon);
  new ResizeObserver(drawSoon).observe(viewer);
  window.addEventListener("beforeprint", draw);
  onThemeChange(() => { learnTheme(); drawSoon(); });
  learnTheme();
  showRows();
  look(0, timeline.end);
}
