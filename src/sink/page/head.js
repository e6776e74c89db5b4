// The head of the page: what ran, when and where, and the run in four numbers.

// The command line without the directories of the program.
function programText(command) {
  const most = 80;
  const text = command.replace(/^\S*\//, "");
  return text.length > most ? `${text.slice(0, most)}\u2026` : text;
}

function dateText(seconds) {
  return `${new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function processesText({processes}) {
  const ranks = page.processes.filter((name) => name.startsWith("rank ")).length;
  if (ranks === page.processes.length) return plural(processes, "rank");
  return `${ranks > 0 ? `${plural(ranks, "rank")} of ` : ""}${plural(processes, "process", "processes")}`;
}

function showHead() {
  const {trace} = report;
  const name = trace.run ?? trace.directory;
  const [program, ...others] = trace.commands;
  document.title = `Trace ${name}`;
  section("title").textContent = program ? programText(program) : `Trace ${name}`;
  section("subtitle").textContent = [
    others.length === 0 ? null : `and ${others.length < 99 ? plural(others.length, "other program") : "many other programs"}`,
    page.began === null ? null : dateText(page.began),
    `${processesText(trace)} on ${plural(report.clocks.hosts, "node")}`,
    plural(trace.threads, "thread"),
    `trace ${name}`,
  ].filter(Boolean).join(" \u00b7 ");
}

// Each loss is the part that is missing to a perfect ratio.
const losses = {load_balance: "Uneven work", serialisation_efficiency: "Waiting in turn", transfer_efficiency: "Transfer of data"};

// Each is lost of what those before it leave.
const lossesOfThreads = {mpi_load_balance: "Uneven ranks", mpi_communication_efficiency: "Time in MPI",
  efficiency_during_mpi: "Idle during MPI", serialisation_efficiency: "Idle threads", load_balance: "Uneven threads",
  scheduling_efficiency: "Scheduling", lock_efficiency: "Locks", supply_with_work: "Sleeping threads"};

function largestLoss(run, hybrid) {
  let left = 1;
  const all = hybrid
    ? Object.entries(lossesOfThreads).map(([key, cause]) => {
      const lost = left * Math.max(0, 1 - hybrid[key]);
      left *= hybrid[key];
      return {cause, lost, target: "threads", note: "of the time of all threads"};
    })
    : Object.entries(run ? losses : {}).map(([key, cause]) => ({cause, lost: Math.max(0, 1 - run[key]), target: "efficiencies",
      note: `${ratios[key].name} is ${percentText(run[key])}`}));
  return all.reduce((a, b) => (a && b.lost <= a.lost ? a : b), null);
}

function tile({name, value, note, target, state}) {
  return element("li", {}, element("a", {href: `#${target}`, class: state ?? null},
    element("span", {class: "name"}, name), element("strong", {}, value), element("span", {class: "note"}, note)));
}

function showTiles() {
  const run = report.efficiencies?.all?.[0];
  const hybrid = report.hybrid?.efficiencies?.[0];
  const loss = largestLoss(run, hybrid), whole = hybrid ?? run;
  const noMpi = {value: "unknown", note: "the trace has no MPI to judge", target: "efficiencies"};
  section("tiles").append(...[
    {name: "Runtime", value: timeText(report.trace.duration), target: "timeline",
      note: run ? `${timeText(run.runtime)} of it from MPI_Init to MPI_Finalize` : "from the first event to the last"},
    {name: "Parallel efficiency", ...(whole ? {value: percentText(whole.parallel_efficiency), target: hybrid ? "threads" : "efficiencies",
      note: `of the time${hybrid ? " of all threads" : ""} is computation`, state: ratioState(whole.parallel_efficiency)} : noMpi)},
    {name: "Largest loss", ...(loss ? {value: `${loss.cause}, ${percentText(loss.lost)}`, target: loss.target,
      note: loss.note, state: ratioState(1 - loss.lost)} : noMpi)},
    {name: "Quality of the trace", value: verdict.word, note: `${plural(checked.filter(([state]) => state === "good").length,
      "check")} of ${checked.length} without a note`, target: "quality", state: verdict.state},
  ].map(tile));
}
