// How long the calls of a function take: a bar for each length, in steps of 1, 2, 5, 10.

const steps125 = [1, 2, 5];

// The step at or below a length, as [exponent of ten, place in steps125].
function stepOf(ns) {
  const power = Math.floor(Math.log10(Math.max(1, ns)) + 1e-9);
  const place = steps125.findLastIndex((step) => step * 10 ** power <= Math.max(1, ns) * (1 + 1e-9));
  return 3 * power + Math.max(0, place);
}
const beginOfStep = (step) => steps125[step % 3] * 10 ** Math.floor(step / 3);

function bordersText({from, to}) {
  const whole = (ns) => { const [unit, length] = timeUnits.find(([, size]) => ns >= size); return `${ns / length} ${unit}`; };
  return `${whole(from)} to ${whole(to)}`;
}

// Bars without holes between them: {from, to, count, ns}.
function barsOf(lengths) {
  if (lengths.length === 0) return [];
  let least = Infinity, most = 0;
  for (const ns of lengths) { least = Math.min(least, ns); most = Math.max(most, ns); }
  const first = stepOf(least);
  const bars = Array.from({length: stepOf(most) - first + 1}, (_, i) =>
    ({from: beginOfStep(first + i), to: beginOfStep(first + i + 1), count: 0, ns: 0}));
  for (const ns of lengths) {
    const bar = bars[stepOf(ns) - first];
    bar.count += 1;
    bar.ns += ns;
  }
  return bars;
}

// The lengths of all single calls in rows that the page has in full.
function callLengths(name) {
  const whole = details.find(({kind}) => kind === "whole");
  const place = timeline.categories.findIndex((category) => category.kind === "mpi" && category.name === name);
  const lengths = [];
  // The end of what is shown last in a row that is cut off is unknown.
  for (const {categories, cut} of whole?.clips.values() ?? [])
    categories.forEach(([time, shownPlace], i) => {
      const end = categories[i + 1]?.[0] ?? (cut === null ? whole.to : null);
      if (shownPlace === place && end !== null) lengths.push(end - time);
    });
  return lengths;
}

function completeness(shownCount, calls) {
  if (shownCount === calls) return `All ${plural(calls, "call")} of the run.`;
  if (shownCount > calls)
    return `${plural(calls, "call")} in ${plural(shownCount, "part")}: another call in it, or a pause, divides a call.`;
  return `${plural(shownCount, "call")} of ${numberText(calls)}: those of rows that the page has in full.`;
}

// Single calls if the page has them, else the mean of each rank or host: {lengths, unit, note}.
function lengthsOf(name) {
  const {functions} = page;
  const cells = functions.cells.filter(([, place]) => functions.functions[place] === name);
  const calls = cells.reduce((all, [, , count]) => all + count, 0), lengths = callLengths(name);
  if (lengths.length > 0) return {lengths, unit: lengths.length > calls ? "part" : "call", note: completeness(lengths.length, calls)};
  const by = functions.by === "rank" ? "process" : "host";
  return {lengths: cells.map(([, , count, ns]) => ns / Math.max(1, count)), unit: by,
    note: `The page has no single calls of this function: a bar counts ${by === "host" ? "hosts" : "processes"} by their mean time per call.`};
}

function barItem({from, to, count, ns}, most, unit) {
  const filled = element("span", {class: "filled"});
  filled.style.width = `${100 * count / most}%`;
  return element("li", {}, element("span", {class: "number"}, bordersText({from, to})),
    element("span", {class: "track"}, filled),
    element("span", {}, count === 0 ? "" : `${plural(count, unit, unit === "process" ? "processes" : `${unit}s`)}`
      + (unit !== "process" && unit !== "host" ? `, ${timeText(ns)}` : "")));
}

function histogram() {
  const sums = new Map();
  for (const [, place, , ns] of page.functions.cells) sums.set(place, (sums.get(place) ?? 0) + ns);
  const names = [...sums].sort((a, b) => b[1] - a[1]).map(([place]) => page.functions.functions[place]);
  const note = element("p", {class: "note", role: "status"}), list = element("ul", {class: "histogram", "aria-label": "Durations"});
  const show = (name) => {
    const {lengths, unit, note: text} = lengthsOf(name);
    const bars = barsOf(lengths), most = bars.reduce((m, {count}) => Math.max(m, count), 1);
    note.textContent = text;
    list.replaceChildren(...bars.map((each) => barItem(each, most, unit)));
  };
  const select = element("select", {id: "durations", onchange: () => show(select.value)},
    names.map((name) => element("option", {}, name)));
  // Nobody looks at the start and the end first.
  select.value = names.find((name) => !/^MPI_(Init|Finalize)/.test(name)) ?? names[0];
  show(select.value);
  return [element("h3", {}, "Durations of calls"), element("div", {class: "tools"}, element("label", {}, "Function ", select)), note, list];
}
