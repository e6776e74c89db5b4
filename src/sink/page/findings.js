// The section that comes first.

const placeText = (cost) => `${cost.function ? `in ${cost.function}` : "outside of MPI"}`
  + (cost.region === null ? "" : ` in region ${cost.region}`);

// Sentences that a reader wants first.
function findings() {
  const lines = [];
  const run = report.efficiencies?.all[0];
  if (run) {
    const average = run.useful / run.processes;
    if (run.load_balance < acceptable)
      lines.push(`${processName(run.busiest)} computes for ${timeText(run.longest_useful)}, the processes on average for `
        + `${timeText(average)}: with equal shares the run could be up to ${timeText(run.longest_useful - average)} shorter.`);
    if (run.transfer_efficiency < acceptable)
      lines.push(`The transfer of data takes ${timeText(run.runtime - run.ideal_runtime)} of the ${timeText(run.runtime)}.`);
  }
  const late = (report.waits?.delays ?? []).reduce((a, b) => (a && a.short_term >= b.short_term ? a : b), null);
  if (late?.short_term > 0)
    lines.push(`The others wait most for what ${processName(late.process)} does ${placeText(late)}: `
      + `${timeText(late.short_term)} in all.`);
  const own = page.functions.cells.map(([row, name, , ns]) => ({row, name: page.functions.functions[name], ns}))
    .filter(({name}) => !/^MPI_(Init|Finalize)/.test(name));
  if (own.length > 0) {
    const most = own.reduce((a, b) => (b.ns > a.ns ? b : a));
    lines.push(`Most time in one function of MPI: ${timeText(most.ns)} in ${most.name}, by ${page.functions.names[most.row]}.`);
  }
  return lines;
}

function showFindings() {
  const lines = findings();
  if (lines.length === 0) return hideEmpty("short");
  section("short").append(element("ul", {}, lines.map((line) => element("li", {}, line))));
}
