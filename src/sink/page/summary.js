// The sections that say what the report says.

// A ratio below it is low: what helps is said then.
const acceptable = 0.8, poor = 0.6;
const ratioState = (ratio) => (ratio >= acceptable ? "good" : ratio >= poor ? "warn" : "bad");

// The meaning of each ratio, and what helps if it is low.
const ratios = {
  parallel_efficiency: {name: "Parallel efficiency",
    means: (r) => `The processes compute for ${percentText(r)} of the time; the rest is MPI.`},
  load_balance: {name: "Load balance",
    means: (r, of) => `On average a process computes for ${percentText(r)} of the time of the busiest one, which is `
      + `${processName(of.busiest)} with ${timeText(of.longest_useful)}`
      + (r < acceptable ? ": spread the work more evenly." : ".")},
  communication_efficiency: {name: "Communication efficiency",
    means: (r) => `The busiest process computes for ${percentText(r)} of the run; the rest is communication.`},
  serialisation_efficiency: {name: "Serialisation efficiency",
    means: (r) => `In an ideal network the busiest process would compute for ${percentText(r)} of the run`
      + (r < acceptable ? ": processes wait for one another." : ".")},
  transfer_efficiency: {name: "Transfer efficiency",
    means: (r) => `In an ideal network, where data arrives at once, this would take ${percentText(r)} of the time`
      + (r < acceptable ? ": the transfer of data costs much." : ".")},
};

function ratioItem(of, key, ...children) {
  const ratio = of[key];
  return element("li", {}, element("div", {},
    element("strong", {}, ...withWords(ratios[key].name)), " ",
    element("meter", {min: 0, max: 1, low: poor, high: acceptable, optimum: 1, value: Math.min(ratio, 1),
      "aria-label": ratios[key].name}, percentText(ratio)),
    element("span", {class: "ratio"}, percentText(ratio))),
  element("div", {class: "note"}, ...withWords(ratios[key].means(ratio, of))),
  children.length > 0 ? element("ul", {class: "tree"}, children) : null);
}

function showEfficiencies() {
  const all = report.efficiencies?.all ?? [];
  if (all.length === 0) return section("efficiencies").append(element("p", {}, "The trace has no MPI to judge."));
  const tree = element("div");
  const show = (of) => tree.replaceChildren(
    element("p", {}, ...withWords(`${plural(of.processes, "process", "processes")}, ${timeText(of.runtime)} `
      + `${of.region === null ? "from MPI_Init to MPI_Finalize" : "in it in all, of the process that is in it longest"}; `
      + `${timeText(of.ideal_runtime)} in an ideal network, where data arrives at once.`)),
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
    {name: "Busiest", of: (r) => processName(r.busiest)},
    ...Object.entries(ratios).map(([key, {name}]) => ({name, kind: "percent", of: (r) => r[key]})),
  ], all, {caption: "Efficiencies of regions", sort: 1, filter: "Filter", bar: 1}));
  showPath();
}

function showPath() {
  const sums = report.critical_path?.sums ?? [];
  if (sums.length === 0) return;
  const whole = sums.reduce((all, r) => all + r.ns, 0);
  section("efficiencies").append(element("h3", {}, word("critical path", "Critical path")),
    element("p", {}, "The length of the run depends on this work: what is made shorter here may shorten the run."),
    table([
      {name: "Process", of: (r) => processName(r.process)},
      {name: "In", of: (r) => r.function ?? "outside of MPI"},
      {name: "Region", of: (r) => regionText(r.region)},
      {name: "Time", kind: "time", of: (r) => r.ns},
      {name: "Share", kind: "percent", of: (r) => r.ns / whole},
      ...calledBy(sums),
    ], sums, {caption: "Work on the critical path", heading: "none", sort: 3, filter: "Filter", bar: 3}),
    ...[leftOut("critical_path.sums", sums.length)].filter(Boolean),
    ...(report.critical_path.contradiction ? [element("p", {class: "note"}, `But ${report.critical_path.contradiction}`)] : []));
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
    {name: "Per call", kind: "time", of: (r) => r.ns / Math.max(1, r.calls)},
    {name: "Sent", kind: "bytes", of: (r) => r.sent},
    {name: "Received", kind: "bytes", of: (r) => r.received},
  ];
  section("functions").append(
    table([{name: "Function", of: (r) => r.name}, ...numbers], [...totals.values()],
      {caption: "Functions of all processes", sort: 2, filter: "Filter", bar: 2}),
    table([{name: by, of: (r) => r.row}, {name: "Function", of: (r) => r.name}, ...numbers],
      functions.cells.map(([row, name, calls, ns, sent, received]) =>
        ({row: functions.names[row], name: functions.functions[name], calls, ns, sent, received})),
      {caption: `By ${by.toLowerCase()} and function`, sort: 3, filter: "Filter", bar: 3}),
    ...histogram());
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
    ...(locks.some((r) => r.lines.length) ? [{name: "Waited for at", of: (r) => r.lines.join(", ")}] : []),
  ], locks, {caption: "Waits in POSIX threads", sort: 3, filter: "Filter", bar: 3}));
}

// Functions without a name stand under their address, which is their line as well.
const callerText = ({function: name, line}) => (name === line ? line : `${name} ${line}`);

function showCallSites() {
  const sites = report.total.callsites;
  if (sites.length === 0) return hideEmpty("callsites");
  section("callsites").append(table([
    {name: "Function", of: (r) => r.function},
    {name: "Called by", of: (r) => r.callers.map(callerText).join(" < ") || "unknown"},
    {name: "Calls", kind: "number", of: (r) => r.calls},
    {name: "Time", kind: "time", of: (r) => r.ns},
    {name: "Sent", kind: "bytes", of: (r) => r.sent},
    {name: "Received", kind: "bytes", of: (r) => r.received},
  ], sites, {caption: "Places of the program that call MPI", sort: 3, filter: "Filter", bar: 3}));
}

// Sums of counters, of a trace that has some.
function showCounters() {
  const {counters} = report.total;
  if (!counters) return hideEmpty("counters");
  const kinds = [
    {list: counters.functions, name: "Function", of: (r) => r.function ?? "outside of MPI", caption: "By function of MPI"},
    {list: counters.regions, name: "Region", of: (r) => regionText(r.region), caption: "By region, the innermost"},
    {list: counters.constructs, name: "Construct", of: (r) => [r.construct ?? "(none)", r.label].filter(Boolean).join(" "),
      caption: "By construct of threads, the innermost"},
  ].filter(({list, of}) => list.some((r) => of(r) !== "(none)"));
  if (kinds.length === 0) return hideEmpty("counters");
  for (const {list, name, of, caption} of kinds) {
    const names = [...new Set(list.flatMap((r) => Object.keys(r.counts)))];
    const rates = [{name: "IPC", key: "ipc"}, {name: "GHz", key: "ghz"}].filter(({key}) => list.some((r) => r[key] !== null));
    section("counters").append(table([
      {name, of}, {name: "Time", kind: "time", of: (r) => r.ns},
      ...names.map((counter) => ({name: counter, kind: isClock(counter) ? "time" : "number", of: (r) => r.counts[counter] ?? 0})),
      ...rates.map((rate) => ({name: rate.name, kind: "ratio", of: (r) => r[rate.key]})),
    ], list, {caption, sort: 1, filter: "Filter", bar: 1}));
  }
}

function showRun() {
  const {trace, clocks} = report;
  const facts = [
    ["Program", trace.commands.join("\n") || "not known"], ["Directory", trace.directory], ["Run", trace.run ?? "has no name"], ["Length", timeText(trace.duration)],
    ["Size", `${plural(trace.looms, "loom")}, ${plural(trace.processes, "process", "processes")}, `
      + `${plural(trace.threads, "thread")}, ${plural(trace.cpus, "CPU")}`],
    ["Written by", trace.libovni.map((v) => `libovni ${v}`).join(", ")],
    ["Models", trace.models.map((m) => `${m.name} ${m.version}`).join(", ")],
    ["Page made by", report.tool],
    ["Hosts", `${clocks.hosts}, ${clocks.measured} with measured clocks`],
    ...(clocks.hosts > 1 ? [
      ["Clocks are right to", clocks.bound === null ? "unknown" : timeText(clocks.bound)],
      ["Drift of clocks", clocks.drift_corrected ? "corrected" : "not corrected"],
      ["Extrapolated", `${timeText(clocks.extrapolated_before)} before the first measurement, `
        + `${timeText(clocks.extrapolated_after)} after the last`],
    ] : []),
  ];
  section("run").append(element("dl", {}, facts.flatMap(([name, value]) =>
    [element("dt", {}, ...withWords(name)), element("dd", {}, ...(name === "Size" ? withWords(value) : [value]))])));
}
