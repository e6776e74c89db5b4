// The timeline on its canvas. Far away it shows shares of time in columns, close by the changes themselves where
// the page has them.

// Flat rows have no gap between them.
const barHeight = () => (rowHeight > 8 ? rowHeight - 3 : rowHeight);
const lineHeight = () => Math.max(1, Math.min(4, Math.round(rowHeight / 8)));

// paint: the colour of a place, or "".
function drawColumns(context, cells, width, y, tall, paint) {
  const end = gutter + plotWidth();
  let x = gutter;
  while (x < end) {
    // Wide columns are drawn at once.
    const time = Math.max(0, timeOf(x));
    const nextColumn = xOf((Math.floor(time / width) + 1) * width);
    const next = Math.min(end, Math.max(x + 1, Math.floor(nextColumn)));
    let bottom = y + tall;
    for (const {place, share} of shares(cells, width, time, Math.max(timeOf(next), time + 1))) {
      const height = share * tall, colour = paint(place);
      if (colour) {
        context.fillStyle = colour;
        context.fillRect(x, bottom - height, next - x, height);
      }
      bottom -= height;
    }
    x = next;
  }
  context.globalAlpha = 1;
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
  const strength = isHelper(item) ? helperStrength : 1;
  const paint = (place) => paintOf(context, place, strength);
  if (item.host !== undefined)
    return drawColumns(context, cellsOf(hostCells, timeline.hosts.cells, item.host), timeline.hosts.width, y + 1, barHeight(), paint);
  const perPixel = (view.to - view.from) / plotWidth();
  const {width} = timeline.rows;
  const hasColumns = timeline.rows.cells.length > 0;
  if (hasColumns)
    drawColumns(context, cellsOf(rowCells, timeline.rows.cells, item.row), width, y + 1, barHeight(), paint);
  if (hasColumns && perPixel > width / 2) return;
  for (const window of [...details].reverse()) {
    const clip = window.clips.get(item.row);
    if (!clip || window.from > view.to || window.to < view.from) continue;
    drawClip(context, clip, window.from, Math.min(window.to, clip.cut ?? Infinity), y, paint);
  }
}

function drawClip(context, clip, from, to, y, paint) {
  const left = Math.max(gutter, xOf(from)), right = Math.min(gutter + plotWidth(), xOf(to)), line = lineHeight();
  context.fillStyle = theme.back;
  context.fillRect(left, y, right - left, rowHeight);
  drawLayer(context, clip.categories, from, to, y + 1, barHeight(), paint);
  context.globalAlpha = 1;
  drawLayer(context, clip.waits, from, to, y + 1 + barHeight() - line, line, (value) => (value ? theme.mark : ""));
  if (hasRegions)
    drawLayer(context, clip.regions, from, to, y + 1, line, (number) => (number ? regionColours[number - 1] : ""));
}

// Messages that are seen between shown rows, if they are few and far enough apart to be told from one another.
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
  const begin = found.reduce((least, message) => Math.min(least, message[1]), Infinity);
  const end = found.reduce((last, message) => Math.max(last, message[4]), 0);
  return found.length * 4 > xOf(end) - xOf(begin) + 40 ? [] : found;
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
    const text = momentText(time, step, view.to), x = xOf(time) + 3;
    // The last one has its text on the left if there is no room on the right.
    const isCut = x + context.measureText(text).width > canvas.clientWidth;
    context.textAlign = isCut ? "right" : "left";
    context.fillText(text, isCut ? x - 6 : x, 12);
  }
  context.textAlign = "left";
  if (!hasRegions) return;
  context.fillStyle = theme.soft;
  context.fillText("regions", 4, axisHeight + stripHeight / 2 + 4);
  drawColumns(context, regionCells, timeline.region_cells.width, axisHeight, stripHeight - 2, (place) => regionColours[place] ?? "#888");
}

// The time that was asked for, in its row, and its name if there is room.
function drawMark(context, placeOfRow, yOf) {
  const {mark} = view;
  if (!mark || mark.to < view.from || mark.from > view.to) return;
  const left = Math.max(gutter, xOf(mark.from)), right = Math.min(gutter + plotWidth(), xOf(mark.to));
  const place = placeOfRow.get(mark.row);
  context.strokeStyle = theme.mark;
  context.lineWidth = 2;
  if (place === undefined) context.strokeRect(left, top + 1, right - left, canvas.clientHeight - top - 2);
  else context.strokeRect(left, yOf(place), Math.max(right - left, 2), rowHeight - 1);
  context.lineWidth = 1;
  if (place === undefined || context.measureText(mark.name).width > right - left - 8) return;
  context.fillStyle = theme.text;
  context.fillText(mark.name, left + 5, yOf(place) + rowHeight / 2 + 4);
}

// A canvas of that many pixels of the page, empty.
function cleared(drawn, width, height) {
  const scale = window.devicePixelRatio || 1;
  if (drawn.width !== Math.round(width * scale) || drawn.height !== Math.round(height * scale)) {
    drawn.style.width = `${width}px`;
    drawn.style.height = `${height}px`;
    drawn.width = Math.round(width * scale);
    drawn.height = Math.round(height * scale);
  }
  const context = drawn.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  return context;
}

// The part of time that a user drags over.
function drawSelection(context) {
  if (!view.selection) return;
  const [left, right] = view.selection.map(xOf);
  context.fillStyle = theme.link;
  context.globalAlpha = 0.25;
  context.fillRect(left, 0, right - left, canvas.clientHeight);
  context.globalAlpha = 1;
  const text = timeText(view.selection[1] - view.selection[0]);
  context.fillStyle = theme.text;
  if (context.measureText(text).width < right - left) context.fillText(text, left + 3, top + 14);
}

function draw() {
  const width = canvasWidth = viewer.clientWidth, height = viewer.clientHeight;
  gutter = Math.min(170, Math.round(width * 0.3));
  const context = cleared(canvas, width, height);
  const yOf = (place) => top + place * rowHeight - viewer.scrollTop;
  const first = Math.max(0, Math.floor(viewer.scrollTop / rowHeight));
  const last = Math.min(shown.length, Math.ceil((viewer.scrollTop + height - top) / rowHeight));
  drawAxis(context);
  context.save();
  context.beginPath();
  context.rect(0, top, width, height - top);
  context.clip();
  const curves = curvesOf(shown.slice(first, last));
  const named = Math.ceil(13 / rowHeight);  // each that many rows there is room for a name
  for (let place = first; place < last; ++place) {
    drawRow(context, shown[place], yOf(place));
    if (curves) drawCurve(context, curves[place - first], yOf(place));
    if (place % named > 0) continue;
    context.fillStyle = theme.text;
    context.font = `${place === view.cursor.row ? "bold " : ""}12px system-ui, sans-serif`;
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
  drawMark(context, placeOfRow, yOf);
  context.fillStyle = theme.mark;
  if (view.cursor.time >= view.from && view.cursor.time <= view.to)
    context.fillRect(xOf(view.cursor.time), yOf(view.cursor.row), 2, rowHeight - 1);
  drawSelection(context);
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
  requestAnimationFrame(() => { isDrawing = false; draw(); drawMinimap(); });
}
