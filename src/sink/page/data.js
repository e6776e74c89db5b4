// The data of the page, and what is looked up in it.

const page = JSON.parse(section("data").textContent);
const report = page.report;
const timeline = page.timeline;

function processName(place) {
  return place === null ? "unknown" : page.processes[place] ?? `process ${place}`;
}

function rowName(row) {
  return timeline.rows.names[row] ?? `row ${row + 1}`;
}

// States of threads that have other names for who reads a page.
const stateNames = {0: "no thread", 1: "outside of MPI", 3: "no thread"};

function categoryName(place) {
  const category = timeline.categories[place];
  if (category?.kind === "state") return stateNames[category.value] ?? category.name;
  return category?.name ?? "others";
}

// 0: none.
function regionName(number) {
  return number === 0 ? "" : timeline.regions[number - 1] ?? "another region";
}

// For tables.
const regionText = (region) => region ?? "(none)";

// A column of call sites, if some of the rows have one.
const calledBy = (rows) => (rows.some((r) => r.called_by) ? [{name: "Called by", of: (r) => r.called_by ?? ""}] : []);

function leftOut(path, shown) {
  const all = page.left_out[path];
  return all ? element("p", {class: "note"}, `The first ${shown} of ${numberText(all)} are listed.`) : null;
}

// Counters of such names count ns.
const isClock = (counter) => counter.endsWith("-clock");

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf = new Map([...digits].map((digit, value) => [digit, value]));

// Columns as numbers, four for each: the first value and its share, the second one and its share, in 63rds.
function decodeCells(text) {
  const cells = new Uint8Array(4 * text.length);
  let end = 0;
  for (let at = 0; at < text.length; end += 4) {
    if (text[at] === ".") {
      cells.copyWithin(end, Math.max(0, end - 4), end);
      at += 1;
    } else if (text[at] === "-") {
      at += 1;
    } else {
      for (let i = 0; i < 4; ++i) cells[end + i] = digitOf.get(text[at + i]);
      at += 4;
    }
  }
  return cells.slice(0, end);
}

// The changes of a row in a window: [row, cut, pairs], as objects in three layers by time.
function decodeClip([row, cut, pairs], from) {
  const layers = [[], [], []];
  let time = from;
  for (let i = 0; i < pairs.length; i += 2) {
    time += pairs[i];
    layers[pairs[i + 1] % 3].push([time, Math.floor(pairs[i + 1] / 3)]);
  }
  return {row, cut, categories: layers[0], regions: layers[1], waits: layers[2]};
}

// The place of the item that a layer shows at that time, or -1.
function placeAt(layer, time) {
  let low = 0, high = layer.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (layer[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
