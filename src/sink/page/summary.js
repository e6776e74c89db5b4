// The sections that say what the report says.

const sum = (object) => Object.values(object ?? {}).reduce((a, b) => a + b, 0);

// One line of the list: good, warn or bad, a sentence, and what explains it.
function checkLine([state, sentence, detail]) {
  const words = {good: "good", warn: "note", bad: "loss"};
  return element("li", {class: state}, element("b", {}, words[state]), sentence,
    detail ? element("div", {class: "note"}, detail) : null);
}

function causesText(causes) {
  return Object.entries(causes).map(([cause, count]) => `${cause}: ${numberText(count)}`).join(", ");
}

function checks() {
  const lines = [];
  const add = (state, sentence, detail) => lines.push([state, sentence, detail]);
  if (report.complete) add("good", "The emulation came to the end of the trace.");
  else add("bad", "The emulation ended before the trace.", report.error);
  const {gaps} = report;
  if (gaps.lost > 0)
    add("bad", `${plural(gaps.lost, "event")} were lost.`,
      gaps.reasons.map((r) => `${r.reason}: ${plural(r.gaps, "gap")}, ${numberText(r.lost)} lost`).join("; "));
  else if (gaps.list.length > 0)
    add("warn", "Threads were not traced all the time; no event was lost.",
      gaps.reasons.map((r) => `${r.reason}: ${plural(r.gaps, "gap")}`).join("; "));
  else add("good", "No event was lost, and nothing was left out.");
  for (const missing of report.missing_ranks)
    add("bad", `${missing.missing} of ${plural(missing.ranks, "rank")} of application ${missing.application}`
      + " have no trace.", `The first of them is rank ${missing.first}.`);
  if (report.damages?.length > 0)
    add("bad", `${plural(report.damages.length, "stream")} are damaged, and left out from there on.`,
      report.damages.slice(0, 5).map((d) => `${d.stream ?? "ranks without streams"}: ${d.cause}`).join("; "));
  if (report.ended_by_force.length > 0)
    add("warn", `${plural(page.left_out.ended_by_force ?? report.ended_by_force.length, "stream")} were not`
      + " ended by their program.", report.ended_by_force.slice(0, 5).map((e) => `${e.stream}: ${e.by} ${e.code}`).join("; "));
  const {clocks} = report;
  if (clocks.hosts <= 1) add("good", "All clocks are those of one host.");
  else if (clocks.measured === 0)
    add("warn", `The clocks of ${clocks.hosts} hosts were not measured.`, "Times of different hosts may not compare.");
  else add(clocks.measured < clocks.hosts - 1 ? "warn" : "good",
    `The clocks of ${clocks.measured} of ${clocks.hosts} hosts were measured; they are right to ${timeText(clocks.bound)}.`);
  const {messages} = report;
  if (messages !== null) {
    const unmatched = sum(messages.unmatched_sends) + sum(messages.unmatched_receives);
    if (unmatched === 0 && messages.matched > 0) add("good", `All ${plural(messages.matched, "message")} have both ends.`);
    if (unmatched > 0) add("warn", `${plural(unmatched, "end")} of messages have no other end.`,
      [["sends", messages.unmatched_sends], ["receives", messages.unmatched_receives]]
        .filter(([, causes]) => sum(causes) > 0).map(([name, causes]) => `${name}: ${causesText(causes)}`).join("; "));
    if (messages.backward > 0)
      add("warn", `${plural(messages.backward, "message")} arrive before they are sent: clocks differ.`);
  }
  if (report.collectives?.incomplete > 0)
    add("warn", `${plural(report.collectives.incomplete, "collective")} lack members that were not recorded.`);
  for (const open of report.waiting.slice(0, 5))
    add("bad", `Rank ${open.rank} was still in ${open.function} at the end, for ${timeText(open.until - open.since)}.`, open.for);
  if (report.deadlocks.length > 0) add("bad", `There ${report.deadlocks.length === 1 ? "is a deadlock" : "are deadlocks"} at the end.`);
  for (const wait of report.lock_waits.slice(0, 5))
    add("bad", `Thread ${wait.tid} still waited for ${wait.kind} ${wait.object} at the end.`);
  if (report.crowded_cpus?.length > 0)
    add("warn", `On ${plural(report.crowded_cpus.length, "CPU")} several threads ran at once.`,
      report.crowded_cpus.slice(0, 5).map((c) => `${c.cpu}: ${timeText(c.ns)}`).join("; "));
  if (report.faults?.length > 0)
    add("warn", `${plural(report.faults.length, "thing")} are wrong at the end of streams.`, report.faults[0].text);
  return lines;
}

function showQuality() {
  const order = {bad: 0, warn: 1, good: 2};
  const lines = checks().sort((a, b) => order[a[0]] - order[b[0]]);
  const worst = lines[0][0];
  const verdict = {
    bad: "Something is missing: read the numbers below with that in mind.",
    warn: "The trace is usable; the notes say what to mind.",
    good: "The trace is complete.",
  }[worst];
  section("quality").append(element("p", {}, element("strong", {}, verdict)),
    element("ul", {class: "checks"}, lines.map(checkLine)));
  if (report.warnings.length > 0)
    section("quality").append(element("details", {}, element("summary", {}, plural(report.warnings.length, "warning")),
      element("ul", {}, report.warnings.map((text) => element("li", {}, text)))));
}

// A ratio below it is low: what helps is said then.
const acceptable = 0.8;

// The meaning of each ratio, and what helps if it is low.
const ratios = {
  parallel_efficiency: {name: "Parallel efficiency",
    means: (r) => `The processes compute for ${percentText(r)} of the time; the rest is MPI.`},
  load_balance: {name: "Load balance",
    means: (r) => `A process computes for ${percentText(r)} of the time of the busiest one on average`
      + (r < acceptable ? ": spread the work more evenly." : ".")},
  communication_efficiency: {name: "Communication efficiency",
    means: (r) => `The busiest process computes for ${percentText(r)} of the run; the rest is communication.`},
  serialisation_efficiency: {name: "Serialisation efficiency",
    means: (r) => `In an ideal network the busiest process would compute for ${percentText(r)} of the run`
      + (r < acceptable ? ": processes wait for one another." : ".")},
  transfer_efficiency: {name: "Transfer efficiency",
    means: (r) => `An ideal network would need ${percentText(r)} of the time`
      + (r < acceptable ? ": the transfer of data costs much." : ".")},
};

function ratioItem(of, key, ...children) {
  const ratio = of[key];
  return element("li", {}, element("div", {},
    element("strong", {}, ratios[key].name), " ",
    element("meter", {min: 0, max: 1, low: 0.6, high: 0.8, optimum: 1, value: Math.min(ratio, 1),
      "aria-label": ratios[key].name}, percentText(ratio)),
    element("span", {class: "ratio"}, percentText(ratio))),
  element("div", {class: "note"}, ratios[key].means(ratio)),
  children.length > 0 ? element("ul", {class: "tree"}, children) : null);
}

function showEfficiencies() {
  const all = report.efficiencies?.all ?? [];
  if (all.length === 0) return section("efficiencies").append(element("p", {}, "The trace has no MPI to judge."));
  const tree = element("div");
  const show = (of) => tree.replaceChildren(
    element("p", {}, `${plural(of.processes, "process", "processes")}, ${timeText(of.runtime)}; `
      + `${timeText(of.ideal_runtime)} in an ideal network.`),
    element("ul", {class: "tree"}, ratioItem(of, "parallel_efficiency", ratioItem(of, "load_balance"),
      ratioItem(of, "communication_efficiency", ratioItem(of, "serialisation_efficiency"),
        ratioItem(of, "transfer_efficiency")))));
  const select = element("select", {onchange: () => show(all[select.value])},
    all.map((of, place) => element("option", {value: place}, of.region ?? "the whole run")));
  show(all[0]);
  if (all.length > 1)
    section("efficiencies").append(element("div", {class: "tools"}, element("label", {}, "Region ", select)));
  section("efficiencies").append(tree);
  if (all.length > 1) section("efficiencies").append(table([
    {name: "Region", of: (r) => r.region ?? "the whole run"},
    {name: "Runtime", kind: "time", of: (r) => r.runtime},
    ...Object.entries(ratios).map(([key, {name}]) => ({name, kind: "percent", of: (r) => r[key]})),
  ], all, {caption: "Efficiencies of regions", sort: 1, filter: "Filter", bar: 1}));
  showPath();
}

function showPath() {
  const sums = report.critical_path?.sums ?? [];
  if (sums.length === 0) return;
  section("efficiencies").append(element("h3", {}, "Critical path"),
    element("p", {}, "The length of the run hangs on this work: what is made shorter here may shorten the run."),
    table([
      {name: "Process", of: (r) => processName(r.process)},
      {name: "In", of: (r) => r.function ?? "outside of MPI"},
      {name: "Region", of: (r) => r.region ?? ""},
      {name: "Time", kind: "time", of: (r) => r.ns},
    ], sums, {caption: "Work on the critical path", sort: 3, filter: "Filter", bar: 3}),
    ...[leftOut("critical_path.sums", sums.length)].filter(Boolean));
}

function showFunctions() {
  const {functions} = page;
  if (functions.cells.length === 0)
    return section("functions").append(element("p", {}, "No function of MPI was recorded."));
  const by = functions.by === "rank" ? "Process" : "Host";
  const totals = new Map();
  for (const [, name, calls, ns, sent, received] of functions.cells) {
    const total = totals.get(name) ?? {name: functions.functions[name], calls: 0, ns: 0, sent: 0, received: 0};
    total.calls += calls; total.ns += ns; total.sent += sent; total.received += received;
    totals.set(name, total);
  }
  const numbers = [
    {name: "Calls", kind: "number", of: (r) => r.calls},
    {name: "Time", kind: "time", of: (r) => r.ns},
    {name: "Sent", kind: "bytes", of: (r) => r.sent},
    {name: "Received", kind: "bytes", of: (r) => r.received},
  ];
  section("functions").append(
    table([{name: "Function", of: (r) => r.name}, ...numbers], [...totals.values()],
      {caption: "Functions of all processes", sort: 2, filter: "Filter", bar: 2}),
    table([{name: by, of: (r) => r.row}, {name: "Function", of: (r) => r.name}, ...numbers],
      functions.cells.map(([row, name, calls, ns, sent, received]) =>
        ({row: functions.names[row], name: functions.functions[name], calls, ns, sent, received})),
      {caption: `By ${by.toLowerCase()} and function`, sort: 3, filter: "Filter", bar: 3}));
}

// A part of the trace around a wait, for a closer look.
function cutCommand(wait) {
  const around = Math.ceil((wait.to - wait.from) / 4) + 1;
  const ranks = [wait.process, wait.cause].map(processName).filter((name) => name.startsWith("rank "))
    .map((name) => Number(name.slice(5)));
  const chosen = [...new Set(ranks)].sort((a, b) => a - b).join(",");
  const directory = `'${report.trace.directory.replaceAll("'", "'\\''")}'`;
  return `ovnicut ${directory} -o part --from ${Math.max(0, wait.from - around)}ns --to ${wait.to + around}ns`
    + (chosen ? ` --ranks ${chosen}` : "");
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    const area = element("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    say("Copied");
  }
}

function showWaits() {
  const {waits} = report;
  if (!waits || waits.sums.length === 0)
    return section("waits").append(element("p", {}, "No process waited for another, as far as the trace tells."));
  section("waits").append(
    element("h3", {}, "Longest waits"),
    table([
      {name: "Wait", of: (r) => r.wait},
      {name: "Function", of: (r) => r.function},
      {name: "Process", of: (r) => processName(r.process)},
      {name: "Waits for", of: (r) => processName(r.cause)},
      {name: "From", kind: "time", of: (r) => r.from},
      {name: "Time", kind: "time", of: (r) => r.to - r.from},
      {name: "+-", kind: "time", of: (r) => r.bound},
      {name: "Look closer", of: cutCommand, node: (r) => element("span", {},
        element("button", {type: "button", onclick: () => showWait(r)}, "Show"), " ",
        element("button", {type: "button", title: cutCommand(r), onclick: () => copyText(cutCommand(r))},
          "Copy ovnicut"))},
    ], waits.longest, {caption: "The longest single waits", sort: 5, filter: "Filter", bar: 5}),
    element("h3", {}, "Sums of waits"),
    table([
      {name: "Wait", of: (r) => r.wait},
      {name: "Function", of: (r) => r.function},
      {name: "Region", of: (r) => r.region ?? ""},
      {name: "Process", of: (r) => processName(r.process)},
      {name: "Waits for", of: (r) => processName(r.cause)},
      {name: "Times", kind: "number", of: (r) => r.times},
      {name: "Time", kind: "time", of: (r) => r.ns},
      {name: "Certain", kind: "time", of: (r) => r.certain},
    ], waits.sums, {caption: "Waits by cause", sort: 6, filter: "Filter", bar: 6}),
    ...[leftOut("waits.sums", waits.sums.length)].filter(Boolean));
  if (waits.delays?.length > 0) section("waits").append(
    element("h3", {}, "What others wait for"),
    table([
      {name: "Process", of: (r) => processName(r.process)},
      {name: "In", of: (r) => r.function ?? "outside of MPI"},
      {name: "Region", of: (r) => r.region ?? ""},
      {name: "Waits for it", kind: "time", of: (r) => r.short_term},
      {name: "Passed on", kind: "time", of: (r) => r.long_term},
    ], waits.delays, {caption: "Delays by what the late process did", sort: 3, filter: "Filter", bar: 3}));
}

function hideEmpty(id) {
  section(id).hidden = true;
}

function showLocks() {
  const {locks} = report.total;
  if (locks.length === 0) return hideEmpty("locks");
  section("locks").append(table([
    {name: "Kind", of: (r) => r.kind},
    {name: "Object", of: (r) => r.object},
    {name: "Waits", kind: "number", of: (r) => r.waits},
    {name: "Time", kind: "time", of: (r) => r.ns},
    {name: "Longest", kind: "time", of: (r) => r.longest},
  ], locks, {caption: "Waits in POSIX threads", sort: 3, filter: "Filter", bar: 3}));
}

function showCallSites() {
  const sites = report.total.callsites;
  if (sites.length === 0) return hideEmpty("callsites");
  section("callsites").append(table([
    {name: "Function", of: (r) => r.function},
    {name: "Called by", of: (r) => r.callers.map((c) => `${c.function} ${c.line}`).join(" < ") || "unknown"},
    {name: "Calls", kind: "number", of: (r) => r.calls},
    {name: "Time", kind: "time", of: (r) => r.ns},
    {name: "Sent", kind: "bytes", of: (r) => r.sent},
    {name: "Received", kind: "bytes", of: (r) => r.received},
  ], sites, {caption: "Places of the program that call MPI", sort: 3, filter: "Filter", bar: 3}));
}

function showRun() {
  const {trace, clocks} = report;
  const facts = [
    ["Directory", trace.directory], ["Run", trace.run ?? "has no name"], ["Length", timeText(trace.duration)],
    ["Size", `${plural(trace.looms, "loom")}, ${plural(trace.processes, "process", "processes")}, `
      + `${plural(trace.threads, "thread")}, ${plural(trace.cpus, "CPU")}`],
    ["Written by", trace.libovni.map((v) => `libovni ${v}`).join(", ")],
    ["Models", trace.models.map((m) => `${m.name} ${m.version}`).join(", ")],
    ["Page made by", report.tool],
    ["Hosts", `${clocks.hosts}, ${clocks.measured} with measured clocks`],
    ["Clocks are right to", clocks.bound === null ? "unknown" : timeText(clocks.bound)],
    ["Drift of clocks", clocks.drift_corrected ? "corrected" : "not corrected"],
    ["Extrapolated", `${timeText(clocks.extrapolated_before)} before the first measurement, `
      + `${timeText(clocks.extrapolated_after)} after the last`],
  ];
  section("run").append(element("dl", {}, facts.flatMap(([name, value]) =>
    [element("dt", {}, name), element("dd", {}, value)])));
}
