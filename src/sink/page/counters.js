// Counters in the timeline: one is chosen, and each row shows as a curve how much of it there was.

const counters = timeline.counters?.list ?? [];
const counterIndex = (name) => counters.findIndex((counter) => counter.name === name);

// Kinds of values: how they are made of columns, and their text.
const amountNote = "The amount that was counted between two calls is spread evenly over the time between them.";
const counterKinds = {
  rate: {of: (sums, [at], ns) => sums[at] * 1e9 / ns, text: (value) => `${shortText(value).trim()} per second`, note: amountNote},
  clock: {of: (sums, [at], ns) => sums[at] / ns, text: (value) => `${value.toFixed(2)} CPUs`, note: amountNote},
  ratio: {of: (sums, [over, under]) => (sums[under] > 0 ? sums[over] / sums[under] : 0), text: (value) => value.toFixed(2),
    note: amountNote},
  level: {of: (sums, [at]) => sums[at], text: (value) => (value > 0 ? `${shortText(value)}B` : "unknown"),
    note: "Memory is read now and then, at a call of MPI or another border: what comes and goes in between is not seen. "
      + "A host shows its largest process."},
};

function kindOfCounter({name, is_level: isLevel}) {
  if (isLevel) return "level";
  return isClock(name) ? "clock" : "rate";
}

// A user chooses from the counters, and from what two of them say together.
const countedThings = [
  ...counters.map((counter, at) => ({name: counter.name.replace(/ of the process in bytes$/, ""), kind: counterKinds[kindOfCounter(counter)], places: [at]})),
  ...[{name: "instructions per cycle", kind: counterKinds.ratio, places: ["instructions", "cycles"].map(counterIndex)}]
    .filter(({places}) => !places.includes(-1)),
];

let counted = null;  // what is chosen

// Two characters for each column: 0, or 1 + 63 * log2(value). Amounts count in 256ths.
function decodeCounts(text, {is_level: isLevel}) {
  const values = [];
  for (let at = 0; at < text.length;) {
    if (text[at] === ".") {
      values.push(values.at(-1));
      at += 1;
      continue;
    }
    const number = 64 * digitOf.get(text[at]) + digitOf.get(text[at + 1]);
    values.push(number === 0 ? 0 : 2 ** ((number - 1) / 63) / (isLevel ? 1 : 256));
    at += 2;
  }
  return Float64Array.from(values);
}

// All threads of a process have its memory, which stands in the first row.
const firstRows = new Map();
if (counters.length > 0)
  timeline.rows.processes.forEach((process, row) => { if (!firstRows.has(process)) firstRows.set(process, row); });

const keptCounts = new Map();
function countsOf({host, row}, counter) {
  const [table, place] = host !== undefined ? [timeline.counters.hosts, host]
    : [timeline.counters.rows, counters[counter].is_level ? firstRows.get(timeline.rows.processes[row]) : row];
  const key = `${host !== undefined} ${place} ${counter}`;
  if (!keptCounts.has(key)) keptCounts.set(key, decodeCounts(table.cells[place]?.[counter] ?? "", counters[counter]));
  return {values: keptCounts.get(key), width: table.width, isKnown: table.cells.length > 0};
}

// The value of what is chosen: of a row or host, in the columns from time to time, and their length in ns.
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
  return {value: ns > 0 ? counted.kind.of(sums, counted.places, ns) : 0, ns};
}

function curveOf(item) {
  const end = gutter + plotWidth(), {width} = countsOf(item, counted.places[0]), steps = [];
  for (let x = gutter; x < end;) {
    const time = Math.max(0, timeOf(x));
    const next = Math.min(end, Math.max(x + 1, Math.floor(xOf((Math.floor(time / width) + 1) * width))));
    const value = time < timeline.end ? countIn(item, time, Math.max(timeOf(next), time + 1)).value : 0;
    steps.push({x, next, value});
    x = next;
  }
  return steps;
}

// The curves of rows, as steps, in parts of the highest among them; hosts have a height of their own. Null: nothing
// is chosen.
function curvesOf(items) {
  if (!counted) return null;
  const curves = items.map(curveOf);
  const mostOf = (isHost) => curves.filter((_, place) => (items[place].host !== undefined) === isHost).flat()
    .reduce((most, {value}) => Math.max(most, value), 0);
  const ofHosts = mostOf(true), ofRows = mostOf(false);
  const texts = [[ofHosts, "host"], [ofRows, "row"]].filter(([most]) => most > 0)
    .map(([most, kind]) => `${counted.kind.text(most)}${ofHosts > 0 ? ` of a ${kind}` : ""}`);
  countScale.textContent = `${texts.length > 0 ? `Full height: ${texts.join(", ")}` : "Nothing was counted here"}. ${counted.kind.note}`;
  curves.forEach((steps, place) => {
    const most = items[place].host !== undefined ? ofHosts : ofRows;
    for (const step of steps) step.value = most > 0 ? step.value / most : 0;
  });
  return curves;
}

// The states of the row stay to be seen behind the curve.
function drawCurve(context, steps, y) {
  context.fillStyle = theme.back;
  context.globalAlpha = 0.5;
  context.fillRect(gutter, y + 1, plotWidth(), barHeight());
  context.globalAlpha = 0.65;
  context.fillStyle = theme.count;
  for (const {x, next, value} of steps) {
    const height = value * barHeight();
    context.fillRect(x, y + 1 + barHeight() - height, next - x, height);
  }
  context.globalAlpha = 1;
}

function counterTexts(item, time) {
  if (!counted) return [];
  if (!countsOf(item, counted.places[0]).isKnown) return [`${counted.name}: not on this page, as there are many rows`];
  const {value, ns} = countIn(item, time, time + Math.max(1, (view.to - view.from) / plotWidth()));
  return [`${counted.name}: ${counted.kind.text(value)}, in ${timeText(ns)}`];
}

const countScale = element("span", {id: "scale", class: "note"});

function counterChoice() {
  if (countedThings.length === 0) return null;
  const select = element("select", {id: "counted", onchange: () => {
    counted = countedThings[select.value] ?? null;
    countScale.textContent = "";
    hideTip();
    announce(counted ? `Rows show ${counted.name}` : "Rows show no counter");
    drawSoon();
  }}, element("option", {value: ""}, "none"), countedThings.map(({name}, place) => element("option", {value: place}, name)));
  return element("span", {}, element("label", {}, "Counter ", select), " ", countScale);
}
