// The whole run in small, above the timeline: time by meaning over all shown rows, and the part that is seen,
// which can be dragged.

const minimapHeight = 36;
let minimap;

const spanX = (time) => gutter + time / Math.max(timeline.end, smallestSpan) * (minimap.clientWidth - gutter);
const timeInMinimap = (x) => (x - gutter) / (minimap.clientWidth - gutter) * Math.max(timeline.end, smallestSpan);

// Sums by column and meaning, kept until other rows are wanted. Columns have the two largest times of their row, so
// rows tell more than hosts, unless they are so many that their columns are wide.
const leastColumns = 200;
let keptSums = null;
function sumsByMeaning() {
  const key = view.wanted.join(" ");
  if (keptSums?.key === key) return keptSums;
  const isOfHosts = isFolded && (timeline.rows.cells.length === 0 || timeline.end / timeline.rows.width < leastColumns);
  const of = isOfHosts ? {kept: hostCells, table: timeline.hosts} : {kept: rowCells, table: timeline.rows};
  const wanted = isOfHosts ? shown.map(({host}) => host).filter((host) => host !== undefined)
    : timeline.rows.names.map((_, row) => row).filter(isWantedRow);
  const placeOfMeaning = [...Array(64).keys()].map((place) => meanings.indexOf(meaningOfCategory(place)));
  const columns = Math.max(1, Math.ceil(timeline.end / of.table.width));
  const sums = new Float64Array(columns * meanings.length);
  let rows = 0;
  for (const place of wanted) {
    const weight = isOfHosts ? timeline.hosts.rows[place] : 1;
    const cells = cellsOf(of.kept, of.table.cells, place);
    rows += weight;
    for (let i = 0; i < cells.length; i += 2) {
      const meaning = placeOfMeaning[cells[i]], column = i >> 2;
      if (meaning >= 0 && column < columns) sums[column * meanings.length + meaning] += cells[i + 1] * weight / 63;
    }
  }
  return keptSums = {key, sums, columns, rows: Math.max(1, rows)};
}

function drawMinimap() {
  const width = viewer.clientWidth;
  const context = cleared(minimap, width, minimapHeight);
  const {sums, columns, rows} = sumsByMeaning();
  const colour = meanings.map((meaning) => colourOfMeaning(meaning, isDark()));
  const plot = width - gutter;
  for (let x = 0; x < plot; ++x) {
    const first = Math.min(columns - 1, Math.floor(x / plot * columns));
    const end = Math.max(first + 1, Math.min(columns, Math.floor((x + 1) / plot * columns)));
    let bottom = minimapHeight;
    for (let meaning = 0; meaning < meanings.length; ++meaning) {
      let share = 0;
      for (let column = first; column < end; ++column) share += sums[column * meanings.length + meaning];
      const height = share / (end - first) / rows * minimapHeight;
      if (height <= 0) continue;
      context.fillStyle = colour[meaning];
      context.fillRect(gutter + x, bottom - height, 1, height);
      bottom -= height;
    }
  }
  drawSeenPart(context, width);
}

function drawSeenPart(context, width) {
  const left = spanX(view.from), right = Math.max(left + 3, spanX(view.to));
  context.fillStyle = theme.back;
  context.globalAlpha = 0.6;
  context.fillRect(gutter, 0, left - gutter, minimapHeight);
  context.fillRect(right, 0, width - right, minimapHeight);
  context.globalAlpha = 1;
  context.strokeStyle = theme.text;
  context.lineWidth = 2;
  context.strokeRect(left + 1, 1, Math.max(1, Math.min(right, width) - left - 2), minimapHeight - 2);
  context.lineWidth = 1;
  context.fillStyle = theme.soft;
  context.fillText("whole run", 4, minimapHeight / 2 + 4);
  minimap.setAttribute("aria-valuenow", Math.round(100 * view.from / Math.max(timeline.end, 1)));
  minimap.setAttribute("aria-valuetext", seen.textContent);
}

function moveSeenPart(by) {
  look(view.from + by, view.to + by);
}

function dragSeenPart(event) {
  if (event.button !== 0) return;
  const timeAt = (moved) => timeInMinimap(moved.clientX - minimap.getBoundingClientRect().left);
  const span = view.to - view.from, time = timeAt(event);
  if (time < view.from || time > view.to) look(time - span / 2, time + span / 2);
  const grip = time - view.from;
  const move = (moved) => look(timeAt(moved) - grip, timeAt(moved) - grip + span);
  minimap.setPointerCapture(event.pointerId);
  minimap.addEventListener("pointermove", move);
  const end = () => minimap.removeEventListener("pointermove", move);
  minimap.addEventListener("pointerup", end, {once: true});
  minimap.addEventListener("pointercancel", end, {once: true});
}

function minimapView() {
  minimap = element("canvas", {class: "minimap", tabindex: "0", role: "slider", "aria-valuemin": "0", "aria-valuemax": "100",
    "aria-label": "Part of the run that is seen. Arrows move it, plus and minus zoom, Home shows all."});
  const steps = {ArrowLeft: -0.25, ArrowRight: 0.25, PageUp: -1, PageDown: 1};
  minimap.addEventListener("pointerdown", dragSeenPart);
  minimap.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key]) moveSeenPart(steps[event.key] * (view.to - view.from));
    else if (["+", "=", "-", "Home"].includes(event.key)) keys[event.key]();
    else return;
    event.preventDefault();
    announce(seen.textContent);
  });
  return minimap;
}
