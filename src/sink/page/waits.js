// Waits, and what they are due to.

// A part of the trace around a wait, for a closer look.
function cutCommand(wait) {
  const around = Math.ceil((wait.to - wait.from) / 4) + 1;
  const ranks = [wait.process, wait.cause].map(processName).filter((name) => name.startsWith("rank "))
    .map((name) => Number(name.replace(/^rank ([0-9]+[.])?/, "")));
  const chosen = [...new Set(ranks)].sort((a, b) => a - b).join(",");
  const directory = `'${report.trace.directory.replaceAll("'", "'\\''")}'`;
  return `ovnicut ${directory} -o part --from ${Math.max(0, wait.from - around)}ns --to ${wait.to + around}ns`
    + (chosen ? ` --ranks ${chosen}` : "");
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    const area = element("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    announce("Copied");
  }
}

// The meaning of each name.
const waitKinds = {
  "Late sender": "a receive waits for a message that is sent later",
  "Late sender, wrong order": "the same, while another message for the process, sent earlier, is received later",
  "Late receiver": "a send waits for a receive that is posted later",
  "Wait at barrier": "a barrier is entered before the last process comes",
  "Wait at n to n": "all need data of all, and the last process comes later",
  "Late broadcast": "data of a root is needed before the root comes",
  "Early reduce": "a root comes before the last of those whose data it needs",
  "Early scan": "data of lower ranks is needed before the last of these comes",
  "Completion of a collective": "all that is needed is there, and this process is still in the call",
  "Failed tests": "tests for a message that is sent later, one after the other",
  "Wait for neighbours, at most": "data of some processes is needed, and the last of all comes later",
  "Wait at fence": "a fence is entered before the last process comes",
  "Wait at start or end": "MPI_Init or MPI_Finalize is entered before the last process comes",
  "Wait for all members": "a call that makes, uses or frees something of all is entered before the last process comes",
  "Late post, at most": "MPI_Win_start or MPI_Win_complete is entered before a process posts the window",
  "Late complete, at most": "MPI_Win_wait is entered before the last process completes its accesses",
  "Wait for a lock, at most": "another process unlocks the window meanwhile; shared locks do not keep others waiting",
  "Wait for members, at most": "the same, if some left before the last process came: the wait may have been shorter",
};

function waitNames() {
  const used = [...new Set(report.waits.sums.map((r) => r.wait))].filter((name) => waitKinds[name]);
  return element("details", {}, element("summary", {}, "What the names of waits mean"),
    element("dl", {}, used.flatMap((name) => [element("dt", {}, name), element("dd", {}, waitKinds[name])])));
}

// Between the clocks of several hosts times are uncertain.
const ifSeveralHosts = (column) => (report.clocks.hosts > 1 ? [column] : []);

function longestWaits(waits) {
  const all = waits.sums.reduce((count, r) => count + r.times, 0);
  return table([
    {name: "Wait", of: (r) => r.wait},
    {name: "Function", of: (r) => r.function},
    {name: "Process", of: (r) => processName(r.process)},
    {name: "Waits for", of: (r) => processName(r.cause)},
    {name: "Begins at", kind: "time", of: (r) => r.from},
    {name: "Time", kind: "time", of: (r) => r.to - r.from},
    ...ifSeveralHosts({name: "+-", kind: "time", of: (r) => r.bound}),
    ...calledBy(waits.longest),
    {name: "Look closer", of: cutCommand, node: (r) => element("span", {},
      element("button", {type: "button", onclick: () => showWait(r)}, "Show"), " ",
      element("button", {type: "button", title: cutCommand(r), onclick: () => copyText(cutCommand(r))},
        "Copy ovnicut"))},
  ], waits.longest, {caption: `The ${numberText(waits.longest.length)} longest of ${plural(all, "wait")}`, sort: 5,
    heading: "none", filter: "Filter", bar: 5});
}

function sumsOfWaits(waits) {
  return table([
    {name: "Wait", of: (r) => r.wait},
    {name: "Function", of: (r) => r.function},
    {name: "Region", of: (r) => regionText(r.region)},
    {name: "Process", of: (r) => processName(r.process)},
    {name: "Waits for", of: (r) => processName(r.cause)},
    {name: "Times", kind: "number", of: (r) => r.times},
    {name: "Time", kind: "time", of: (r) => r.ns},
    ...ifSeveralHosts({name: "Certain", kind: "time", of: (r) => r.certain}),
    ...calledBy(waits.sums),
  ], waits.sums, {caption: "Waits by cause", heading: "none", sort: 6, filter: "Filter", bar: 6});
}

function delays(waits) {
  if (!waits.delays?.length) return [];
  return [element("h3", {}, "What others wait for"),
    element("p", {}, "What the late processes did instead. A process that has waited itself passes the delay on: such "
      + "waits are counted where the chain begins. ", word("short-term", "Short-term"), " waits are for the process itself, ",
      word("long-term"), " ones were passed on."),
    table([
      {name: "Process", of: (r) => processName(r.process)},
      {name: "In", of: (r) => r.function ?? "outside of MPI"},
      {name: "Region", of: (r) => regionText(r.region)},
      {name: "Waited for it", word: "short-term", kind: "time", of: (r) => r.short_term},
      {name: "And passed on", word: "long-term", kind: "time", of: (r) => r.long_term},
      ...calledBy(waits.delays),
    ], waits.delays, {caption: "Delays by what the late process did", heading: "none", sort: 3, filter: "Filter", bar: 3})];
}

function showWaits() {
  const {waits} = report;
  if (!waits || waits.sums.length === 0)
    return section("waits").append(element("p", {}, "No process waited for another, as far as the trace shows."));
  section("waits").append(
    ...delays(waits),
    element("h3", {}, "Longest waits"),
    longestWaits(waits),
    element("h3", {}, "Sums of waits"),
    element("p", {}, ...withWords("A wait is for the process that came last, which may have waited itself."),
      ...(report.clocks.hosts > 1 ? [" ", word("certain", "Certain"), " is what no error of clocks can explain."] : [])),
    sumsOfWaits(waits),
    ...[leftOut("waits.sums", waits.sums.length)].filter(Boolean),
    waitNames());
}
