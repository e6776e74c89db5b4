// The data of the timeline, and the part of it that is seen.

const axisHeight = 22, stripHeight = 18;
let gutter = 170;  // the width of names
let rowHeight = timeline.rows.names.length <= 16 ? 26 : 18;
const smallestSpan = 20;

// The page has all changes in these: the whole run of some rows, windows at waits and at regions.
const details = timeline.windows.map((window) => ({...window, to: window.to ?? timeline.end,
  clips: new Map(window.clips.map((clip) => [clip[0], decodeClip(clip, window.from)]))}));

const rowCells = timeline.rows.cells.map(() => null);
const hostCells = timeline.hosts.cells.map(() => null);
function cellsOf(kept, texts, place) {
  return kept[place] ??= decodeCells(texts[place] ?? "");
}
const regionCells = decodeCells(timeline.region_cells.cells);

// The part of time that is seen, and the rows.
const view = {from: 0, to: Math.max(timeline.end, smallestSpan), open: new Set(), cursor: {row: 0, time: timeline.end / 2},
  wanted: [],       // words of the filter
  selection: null,  // while a user drags: [from, to]
  mark: null};      // what was asked for last: {row, from, to, name}
const isFolded = timeline.hosts.cells.length > 0;
const canOpen = timeline.rows.cells.length > 0 || timeline.rows.names.length <= 8192;
const rowsOfHost = timeline.hosts.names.map(() => []);
timeline.rows.hosts.forEach((host, row) => rowsOfHost[host].push(row));

let canvas, viewer, spacer, shown = [];

// The canvas is measured once for each drawing: to ask the browser takes long.
let canvasWidth = 1000;
const plotWidth = () => canvasWidth - gutter;
const xOf = (time) => gutter + (time - view.from) / (view.to - view.from) * plotWidth();
const timeOf = (x) => view.from + (x - gutter) / plotWidth() * (view.to - view.from);
const hasRegions = timeline.regions.length > 0;
const top = axisHeight + (hasRegions ? stripHeight : 0);

// Shares by category of the columns from time to time. The sums are all 0 between two calls.
const shareSums = new Float64Array(64);
function shares(cells, width, from, to) {
  const touched = [];
  const last = Math.min(Math.ceil(to / width), cells.length / 4);
  const first = Math.min(Math.floor(from / width), last - 1);
  for (let column = Math.max(first, 0); column < last; ++column)
    for (const i of [0, 2]) {
      const share = cells[4 * column + i + 1];
      if (share === 0) continue;
      const place = cells[4 * column + i];
      if (shareSums[place] === 0) touched.push(place);
      shareSums[place] += share;
    }
  const count = 63 * Math.max(1, last - Math.max(first, 0));
  const found = touched.map((place) => ({place, share: shareSums[place] / count}));
  for (const place of touched) shareSums[place] = 0;
  return found.length > 1 ? found.sort((a, b) => b.share - a.share) : found;
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
