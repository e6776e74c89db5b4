// Counters in the timeline: one is chosen, and each row shows as a curve how much of it there was.

const counters = timeline.counters?.list ?? [];
const counterIndex = (name) => counters.findIndex((counter) => counter.name === name);

// Kinds of values: how they are made of columns, and their text.
const counterKinds = {
  rate: {of: (sums, [at], ns) => sums[at] * 1e9 / ns, text: (value) => `${shortNumber(value)} per second`},
  clock: {of: (sums, [at], ns) => sums[at] / ns, text: (value) => `${value.toFixed(2)} CPUs`},
  ratio: {of: (sums, [over, under]) => (sums[under] > 0 ? sums[over] / sums[under] : 0), text: (value) => value.toFixed(2)},
  level: {of: (sums, [at]) => sums[at], text: (value) => (value > 0 ? bytesText(Math.round(value)) : "unknown")},
};

function kindOfCounter({name, is_level: isLevel}) {
  if (isLevel) return "level";
  return name.endsWith("-clock") ? "clock" : "rate";
}

// A user chooses from the counters, and from what two of them say together.
const countedThings = [
  ...counters.map((counter, at) => ({name: counter.name, kind: counterKinds[kindOfCounter(counter)], places: [at]})),
  ...[{name: "instructions per cycle", kind: counterKinds.ratio, places: ["instructions", "cycles"].map(counterIndex)}]
    .filter(({places}) => !places.includes(-1)),
];

let counted = null;  // what is chosen

function shortNumber(value) {
  const units = [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  const [unit, size] = units.find(([, least]) => value >= least) ?? ["", 1];
  return value > 0 ? `${(value / size).toPrecision(3)} ${unit}`.trim() : "0";
}

// Two characters for each column: 0, or 1 + 63 * log2(value).
function decodeCounts(text) {
  const values = [];
  for (let at = 0; at < text.length;) {
    if (text[at] === ".") {
      values.push(values.at(-1));
      at += 1;
      continue;
    }
    const number = 64 * digitOf.get(text[at]) + digitOf.get(text[at + 1]);
    values.push(number === 0 ? 0 : 2 ** ((number - 1) / 63));
    at += 2;
  }
  return Float64Array.from(values);
}

const keptCounts = new Map();
function countsOf(item, counter) {
  const [table, row] = item.host !== undefined ? [timeline.counters.hosts, item.host] : [timeline.counters.rows, item.row];
  const key = `${item.host !== undefined} ${row} ${counter}`;
  if (!keptCounts.has(key)) keptCounts.set(key, decodeCounts(table.cells[row]?.[counter] ?? ""));
  return {values: keptCounts.get(key), width: table.width};
}

// The value of what is chosen: of a row or host, in the columns from time to time.
function countIn(item, from, to) {
  const columns = counted.places.map((place) => countsOf(item, place));
  const {width} = columns[0];
  const first = Math.max(0, Math.floor(from / width)), end = Math.max(first + 1, Math.ceil(to / width));
  const sums = {};
  counted.places.forEach((place, i) => {
    const part = columns[i].values.subarray(first, end);
    sums[place] = counters[place].is_level ? part.reduce((most, value) => Math.max(most, value), 0)
      : part.reduce((sum, value) => sum + value, 0);
  });
  const ns = Math.min(end * width, Math.max(timeline.end, 1)) - first * width;
  return ns > 0 ? counted.kind.of(sums, counted.places, ns) : 0;
}

// The curves of rows, as steps, in parts of the highest among them; null: nothing is chosen.
function curvesOf(items) {
  if (!counted) return null;
  const end = gutter + plotWidth();
  let most = 0;
  const curves = items.map((item) => {
    const {width} = countsOf(item, counted.places[0]), steps = [];
    for (let x = gutter; x < end;) {
      const time = Math.max(0, timeOf(x));
      const next = Math.min(end, Math.max(x + 1, Math.floor(xOf((Math.floor(time / width) + 1) * width))));
      const value = time < timeline.end ? countIn(item, time, Math.max(timeOf(next), time + 1)) : 0;
      steps.push({x, next, value});
      most = Math.max(most, value);
      x = next;
    }
    return steps;
  });
  countScale.textContent = most > 0 ? `Full height: ${counted.kind.text(most)}` : "Nothing was counted here";
  for (const step of curves.flat()) step.value = most > 0 ? step.value / most : 0;
  return curves;
}

// The states of the row stay to be seen behind the curve.
function drawCurve(context, steps, y) {
  context.fillStyle = theme.back;
  context.globalAlpha = 0.7;
  context.fillRect(gutter, y, plotWidth(), rowHeight);
  context.globalAlpha = 1;
  context.fillStyle = theme.count;
  for (const {x, next, value} of steps) {
    const height = value * (rowHeight - 3);
    context.fillRect(x, y + rowHeight - 2 - height, next - x, height);
  }
}

function counterTexts(item, time) {
  if (!counted) return [];
  const value = countIn(item, time, time + Math.max(1, (view.to - view.from) / plotWidth()));
  return [`${counted.name}: ${counted.kind.text(value)}`];
}

const countScale = element("span", {id: "scale", class: "note"});

function counterChoice() {
  if (countedThings.length === 0) return null;
  const select = element("select", {id: "counted", onchange: () => {
    counted = countedThings[select.value] ?? null;
    countScale.textContent = "";
    say(counted ? `Rows show ${counted.name}` : "Rows show no counter");
    drawSoon();
  }}, element("option", {value: ""}, "none"), countedThings.map(({name}, place) => element("option", {value: place}, name)));
  return element("span", {}, element("label", {}, "Counter ", select), " ", countScale);
}
