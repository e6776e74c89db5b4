// The timeline: rows of threads, or of hosts that open to their threads, on a canvas that zooms. Far away it
// shows shares of time in columns, close by the changes themselves where the page has them.

const axisHeight = 22, gutter = 170;
const rowHeight = timeline.rows.names.length <= 16 ? 26 : 18;
const smallestSpan = 20;

// Where the page has all changes: the whole run of some rows, windows at waits and at regions.
const details = timeline.windows.map((window) => ({...window, to: window.to ?? timeline.end,
  clips: new Map(window.clips.map((clip) => [clip[0], decodeClip(clip, window.from)]))}));

const rowCells = timeline.rows.cells.map(() => null);
const hostCells = timeline.hosts.cells.map(() => null);
function cellsOf(kept, texts, place) {
  return kept[place] ??= decodeCells(texts[place] ?? "");
}
const regionCells = decodeCells(timeline.region_cells.cells);

const functionKinds = [
  [/^MPI_(I?recv|M?probe|I?mprobe|Imrecv|Mrecv|Improbe)/i, 32],
  [/^MPI_(Wait|Test)/, 4],
  [/^MPI_(I?[bsr]?send|Sendrecv|Start)/i, 212],
  [/^MPI_I?barrier/i, 305],
  [/^MPI_I?(all|bcast|reduce|gather|scatter|scan|exscan|neighbor)/i, 268],
  [/^MPI_(Put|Get|R?accumulate|Win|Fetch|Rput|Rget|Compare)/i, 178],
  [/^MPI_File/, 60],
  [/^MPI_/, 25],
];

function hash(text) {
  let value = 7;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) % 9973;
  return value;
}

// Functions of a kind have one hue and differ in lightness.
function categoryColour(place) {
  const category = timeline.categories[place];
  if (category === undefined) return "#888";
  if (category.kind === "state")
    return {1: "var(--work)", 6: "var(--lost)", 2: "var(--rest)", 4: "var(--rest)", 5: "var(--rest)"}[category.value] ?? "";
  const shade = hash(category.name);
  const hue = category.kind === "mpi" ? functionKinds.find(([pattern]) => pattern.test(category.name))?.[1] ?? 25
    : category.kind === "lock" ? 345 : 140;
  return `hsl(${hue + shade % 13 - 6} ${58 + shade % 24}% ${44 + shade % 17}%)`;
}

function regionColour(place) {
  return `hsl(${hash(timeline.regions[place] ?? "") % 360} 45% 55%)`;
}

const themeListeners = [];
function onThemeChange(listener) {
  themeListeners.push(listener);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => themeListeners.forEach((call) => call()));

// The part of time that is seen, and the rows.
const view = {from: 0, to: Math.max(timeline.end, smallestSpan), open: new Set(), cursor: {row: 0, time: 0}};
const isFolded = timeline.hosts.cells.length > 0;
const canOpen = timeline.rows.cells.length > 0 || timeline.rows.names.length <= 8192;
const rowsOfHost = timeline.hosts.names.map(() => []);
timeline.rows.hosts.forEach((host, row) => rowsOfHost[host].push(row));

function shownRows() {
  if (!isFolded) return timeline.rows.names.map((name, row) => ({row, name}));
  return timeline.hosts.names.flatMap((name, host) => {
    const own = {host, name: `${name} (${timeline.hosts.rows[host]})`};
    return view.open.has(host) ? [own, ...rowsOfHost[host].map((row) => ({row, name: `   ${rowName(row)}`}))] : [own];
  });
}

let canvas, viewer, spacer, shown = shownRows(), colours = [], regionColours = [], theme = {};

function learnTheme() {
  const style = getComputedStyle(document.body);
  for (const name of ["back", "text", "soft", "line", "rest", "mark", "raised", "work"])
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  const plain = (colour) => (colour.startsWith("var(") ? style.getPropertyValue(colour.slice(4, -1)).trim() : colour);
  colours = timeline.categories.map((_, place) => plain(categoryColour(place)));
  colours[63] ??= "#888";
  regionColours = timeline.regions.map((_, place) => regionColour(place));
}

const plotWidth = () => canvas.clientWidth - gutter;
const xOf = (time) => gutter + (time - view.from) / (view.to - view.from) * plotWidth();
const timeOf = (x) => view.from + (x - gutter) / plotWidth() * (view.to - view.from);
const hasRegions = timeline.regions.length > 0;
const top = axisHeight + (hasRegions ? rowHeight : 0);

// Shares by category of the columns from time to time.
function shares(cells, width, from, to) {
  const sums = new Map();
  const last = Math.min(Math.ceil(to / width), cells.length / 4);
  const first = Math.min(Math.floor(from / width), last - 1);
  for (let column = Math.max(first, 0); column < last; ++column)
    for (const i of [0, 2]) {
      const share = cells[4 * column + i + 1];
      if (share > 0) sums.set(cells[4 * column + i], (sums.get(cells[4 * column + i]) ?? 0) + share);
    }
  const count = 63 * Math.max(1, last - Math.max(first, 0));
  return [...sums].map(([place, share]) => ({place, share: share / count})).sort((a, b) => b.share - a.share);
}

// The categories of a row, in the most detail that the page has at that time; null: none but columns.
function clipAt(row, from, to) {
  for (const window of details) {
    if (window.from > to || window.to < from) continue;
    const clip = window.clips.get(row);
    if (clip) return {clip, from: window.from, to: Math.min(window.to, clip.cut ?? Infinity)};
  }
  return null;
}

function drawColumns(context, cells, width, y, palette, from, to) {
  const begin = Math.max(gutter, Math.floor(xOf(from))), end = Math.min(gutter + plotWidth(), Math.ceil(xOf(to)));
  let x = begin;
  while (x < end) {
    // Wide columns are drawn at once.
    const time = Math.max(0, timeOf(x));
    const nextColumn = xOf((Math.floor(time / width) + 1) * width);
    const next = Math.min(end, Math.max(x + 1, Math.floor(nextColumn)));
    let bottom = y + rowHeight - 2;
    for (const {place, share} of shares(cells, width, time, Math.max(timeOf(next), time + 1))) {
      const height = share * (rowHeight - 3);
      context.fillStyle = palette[Math.min(place, 63)] || theme.back;
      context.fillRect(x, bottom - height, next - x, height);
      bottom -= height;
    }
    x = next;
  }
}

function drawLayer(context, layer, from, to, y, height, colourOf) {
  const begin = Math.max(from, view.from), end = Math.min(to, view.to);
  for (let i = Math.max(0, placeAt(layer, begin)); i < layer.length && layer[i][0] < end; ++i) {
    const until = Math.min(i + 1 < layer.length ? layer[i + 1][0] : to, end);
    const colour = colourOf(layer[i][1]);
    if (!colour || until <= begin) continue;
    const x = xOf(Math.max(layer[i][0], begin));
    context.fillStyle = colour;
    context.fillRect(x, y, Math.max(xOf(until) - x, 0.4), height);
  }
}

function drawRow(context, item, y) {
  if (item.host !== undefined)
    return drawColumns(context, cellsOf(hostCells, timeline.hosts.cells, item.host), timeline.hosts.width, y, colours,
      view.from, view.to);
  const perPixel = (view.to - view.from) / plotWidth();
  const {width} = timeline.rows;
  const hasColumns = timeline.rows.cells.length > 0;
  if (hasColumns)
    drawColumns(context, cellsOf(rowCells, timeline.rows.cells, item.row), width, y, colours, view.from, view.to);
  if (hasColumns && perPixel > width / 2) return;
  for (const window of [...details].reverse()) {
    const clip = window.clips.get(item.row);
    if (!clip || window.from > view.to || window.to < view.from) continue;
    const to = Math.min(window.to, clip.cut ?? Infinity);
    const left = Math.max(gutter, xOf(window.from)), right = Math.min(gutter + plotWidth(), xOf(to));
    context.fillStyle = theme.back;
    context.fillRect(left, y, right - left, rowHeight);
    drawLayer(context, clip.categories, window.from, to, y + 1, rowHeight - 3, (place) => colours[Math.min(place, 63)]);
    drawLayer(context, clip.waits, window.from, to, y + rowHeight - 5, 3, (value) => (value ? theme.mark : ""));
    if (hasRegions)
      drawLayer(context, clip.regions, window.from, to, y + 1, 3, (number) => (number ? regionColours[number - 1] : ""));
  }
}

// Messages that are seen between shown rows, if they are few.
function messagesInView() {
  const most = 400, found = [];
  const seen = new Set();
  for (const message of timeline.messages) {
    if (message[1] > view.to || message[4] < view.from) continue;
    const key = message.slice(1).join();
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(message);
    if (found.length > most) return [];
  }
  return found;
}

function axisStep() {
  const least = (view.to - view.from) / Math.max(2, plotWidth() / 120);
  const power = 10 ** Math.floor(Math.log10(least));
  return Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least));
}

function drawAxis(context) {
  const step = axisStep();
  context.fillStyle = theme.back;
  context.fillRect(0, 0, canvas.clientWidth, top);
  context.textAlign = "left";
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    context.fillStyle = theme.line;
    context.fillRect(xOf(time), axisHeight - 6, 1, canvas.clientHeight);
    context.fillStyle = theme.soft;
    context.fillText(momentText(time, step, view.to), xOf(time) + 3, 12);
  }
  if (!hasRegions) return;
  context.fillStyle = theme.soft;
  context.fillText("regions", 4, axisHeight + rowHeight / 2 + 4);
  drawColumns(context, regionCells, timeline.region_cells.width, axisHeight, regionColours, view.from, view.to);
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  const width = viewer.clientWidth, height = viewer.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  const yOf = (place) => top + place * rowHeight - viewer.scrollTop;
  const first = Math.max(0, Math.floor(viewer.scrollTop / rowHeight));
  const last = Math.min(shown.length, Math.ceil((viewer.scrollTop + height - top) / rowHeight));
  drawAxis(context);
  context.save();
  context.beginPath();
  context.rect(0, top, width, height - top);
  context.clip();
  for (let place = first; place < last; ++place) {
    drawRow(context, shown[place], yOf(place));
    context.fillStyle = place === view.cursor.row ? theme.mark : theme.text;
    context.fillText(shortened(context, shown[place].name), 4, yOf(place) + rowHeight / 2 + 4);
  }
  const placeOfRow = new Map(shown.map((item, place) => [item.row, place]));
  context.strokeStyle = theme.text;
  context.beginPath();
  for (const [, time, , , end, sender, receiver] of messagesInView()) {
    const from = placeOfRow.get(sender), to = placeOfRow.get(receiver);
    if (from === undefined || to === undefined) continue;
    context.moveTo(Math.max(gutter, xOf(time)), yOf(from) + rowHeight / 2);
    context.lineTo(Math.min(width, xOf(end)), yOf(to) + rowHeight / 2);
  }
  context.globalAlpha = 0.45;
  context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = theme.mark;
  if (view.cursor.time >= view.from && view.cursor.time <= view.to)
    context.fillRect(xOf(view.cursor.time), yOf(view.cursor.row), 2, rowHeight - 1);
  context.restore();
}

function shortened(context, name) {
  if (context.measureText(name).width <= gutter - 10) return name;
  let kept = name.length;
  while (kept > 1 && context.measureText(`${name.slice(0, kept)}\u2026`).width > gutter - 10) --kept;
  return `${name.slice(0, kept)}\u2026`;
}

let isDrawing = false;
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => { isDrawing = false; draw(); });
}

function look(from, to) {
  const whole = Math.max(timeline.end, smallestSpan);
  const span = Math.min(whole, Math.max(smallestSpan, to - from));
  view.from = Math.max(0, Math.min(from, whole - span));
  view.to = view.from + span;
  section("timeline").dataset.from = Math.round(view.from);
  section("timeline").dataset.to = Math.round(view.to);
  seen.textContent = `${momentText(view.from, span / 1000, view.to)} to ${momentText(view.to, span / 1000)}`;
  drawSoon();
}

// factor < 1: closer. The time stays where it is.
function zoom(factor, time) {
  look(time - (time - view.from) * factor, time + (view.to - time) * factor);
}

// What a row shows at a time by a clip, in words.
function textsOfClip({clip, to}, at) {
  const {categories, regions, waits} = clip, texts = [];
  const place = placeAt(categories, at), region = placeAt(regions, at), wait = placeAt(waits, at);
  if (place >= 0) {
    const until = place + 1 < categories.length ? categories[place + 1][0] : to;
    texts.push(`${categoryName(categories[place][1])}, ${timeText(until - categories[place][0])}`);
  }
  if (region >= 0 && regions[region][1]) texts.push(`in ${regionName(regions[region][1])}`);
  if (wait >= 0 && waits[wait][1]) texts.push(`waits: ${timeline.waits[waits[wait][1]] ?? ""}`);
  return texts;
}

// By columns.
function textsOfShares(item, time) {
  const [kept, {cells, width}, place] = item.host !== undefined
    ? [hostCells, timeline.hosts, item.host] : [rowCells, timeline.rows, item.row];
  const until = time + Math.max(1, (view.to - view.from) / plotWidth());
  const texts = shares(cellsOf(kept, cells, place), width, time, until)
    .map(({place: category, share}) => `${categoryName(category)}: ${percentText(share)}`);
  if (!hasRegions) return texts;
  const regions = shares(regionCells, timeline.region_cells.width, time, until);
  return regions.length > 0 ? [...texts, `mostly in ${regionName(regions[0].place + 1)}`] : texts;
}

function longWaitTexts(row, at) {
  const process = timeline.rows.processes[row];
  return (report.waits?.longest ?? []).filter((wait) => wait.process === process && wait.from <= at && at < wait.to)
    .map((wait) => `${wait.wait} in ${wait.function}: ${timeText(wait.to - wait.from)} for ${processName(wait.cause)}`);
}

// What is at a point, in words.
function textAt(item, time) {
  const at = Math.round(time);
  const clip = item.host === undefined ? clipAt(item.row, at, at) : null;
  const lines = [item.name.trim(), momentText(time, axisStep() / 100),
    ...(clip && at <= clip.to ? textsOfClip(clip, at) : textsOfShares(item, time))];
  if (item.row === undefined) return lines.join("\n");
  const waits = longWaitTexts(item.row, at);
  return [...lines.filter((line) => waits.length === 0 || !line.startsWith("waits: ")), ...waits,
    ...messageTexts(item.row, at).slice(0, 3)].join("\n");
}

function messageTexts(row, at) {
  const texts = new Set();
  for (const [, time, sendEnd, receiveBegin, end, sender, receiver, bytes, tag] of timeline.messages) {
    const size = bytes > 2 ** 63 ? "a message" : bytesText(bytes);
    if (sender === row && time <= at && at <= Math.max(sendEnd, time)) texts.add(`sends ${size} to ${rowName(receiver)}, tag ${tag}`);
    if (receiver === row && receiveBegin <= at && at <= end) texts.add(`receives ${size} from ${rowName(sender)}, tag ${tag}`);
  }
  return [...texts];
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
  say(`${timeline.hosts.names[host]} ${view.open.has(host) ? "is open" : "is closed"}`);
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

function sayCursor() {
  const item = shown[view.cursor.row];
  if (item) say(textAt(item, view.cursor.time).replaceAll("\n", ", "));
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
  sayCursor();
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
    else sayCursor();
  },
};

function zoomAtCursor(factor) {
  const {time} = view.cursor;
  zoom(factor, time >= view.from && time <= view.to ? time : (view.from + view.to) / 2);
  say(`${timeText(view.to - view.from)} are shown`);
}

// A window of the page comes into view, with its rows.
function showWindow(window, from, to) {
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

function showWait(wait) {
  showWindow(windowOfWait(wait), wait.from, wait.to);
  section("timeline").scrollIntoView();
  canvas.focus({preventScroll: true});
  say(`${wait.wait} of ${processName(wait.process)} is shown`);
}

let waitPlace = -1;
function nextWait(step) {
  const all = report.waits?.longest ?? [];
  if (all.length === 0) return say("There are no waits");
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

function regionChoice() {
  const windows = details.filter((window) => window.kind === "region");
  if (windows.length === 0) return null;
  const select = element("select", {onchange: () => {
    const window = windows[select.value];
    if (window) showWindow(window, window.from, window.to);
  }}, element("option", {value: ""}, "choose"),
  windows.map((window, place) => element("option", {value: place}, regionName(window.region))));
  return element("label", {}, "First instance of region ", select);
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
      regionChoice(), seen),
    viewer, legend(),
    element("p", {class: "note"}, "The wheel zooms with Ctrl or Shift, or once the timeline has the focus; drag to "
      + "move. Keys: arrows, + and -, Home, n and p for waits, Enter for hosts. "
      + (isFolded ? "A row is a host, with its number of threads; a click on its name opens it." : "")));
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
