// The timeline on its canvas. Far away it shows shares of time in columns, close by the changes themselves where
// the page has them.

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
  const curves = curvesOf(shown.slice(first, last));
  for (let place = first; place < last; ++place) {
    drawRow(context, shown[place], yOf(place));
    if (curves) drawCurve(context, curves[place - first], yOf(place));
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
