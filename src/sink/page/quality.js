// Can the numbers be trusted?

const sum = (object) => Object.values(object ?? {}).reduce((a, b) => a + b, 0);

// One line of the list: good, warn, skewed or bad, a sentence, and what explains it.
function checkLine([state, sentence, detail]) {
  const words = {good: "good", warn: "note", skewed: "skewed", bad: "loss"};
  return element("li", {class: state}, element("b", {}, words[state]), sentence,
    detail ? element("div", {class: "note"}, detail) : null);
}

function causesText(causes) {
  return Object.entries(causes).map(([cause, count]) => `${cause}: ${numberText(count)}`).join(", ");
}

// Threads that share a CPU make each other late, unless they sleep.
function crowdedCheck(all) {
  const cpus = all.filter((c) => c.displaced !== false);
  if (cpus.length === 0)
    return ["good", `Several threads had one CPU on ${plural(all.length, "CPU")}, but mostly slept there.`];
  const whole = report.trace.duration || 1;
  const worst = cpus.reduce((a, b) => (b.ns > a.ns ? b : a));
  const tolerable = 0.05;
  return [worst.ns / whole > tolerable ? "skewed" : "warn",
    `Several threads ran at once on ${plural(cpus.length, "CPU")}, on ${worst.cpu.trim()} for `
      + `${percentText(worst.ns / whole)} of the time: these wait longer than with a CPU each.`,
    `Start fewer, or give each rank as many CPUs as it has threads, as mpirun --map-by slot:PE=N does. ${cpus.slice(0, 5)
      .map((c) => `${c.cpu.trim()}: ${timeText(c.ns)}`).join("; ")}`];
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
    add(...crowdedCheck(report.crowded_cpus));
  if (report.faults?.length > 0)
    add("warn", `${plural(report.faults.length, "thing")} are wrong at the end of streams.`, report.faults[0].text);
  return lines;
}

// The verdict on the trace is that of its worst line.
const verdicts = {
  bad: {word: "incomplete", text: "Something is missing: read the numbers below with that in mind."},
  skewed: {word: "disturbed",
    text: "All is there, but the run was disturbed: times and waits are less certain than they seem."},
  warn: {word: "usable", text: "The trace is usable; the notes say what to mind."},
  good: {word: "complete", text: "The trace is complete."},
};
const checked = checks().sort(([a], [b]) => Object.keys(verdicts).indexOf(a) - Object.keys(verdicts).indexOf(b));
const verdict = {state: checked[0][0], ...verdicts[checked[0][0]]};

function showQuality() {
  section("quality").append(element("p", {}, element("strong", {}, verdict.text)),
    element("ul", {class: "checks"}, checked.map(checkLine)));
  if (report.warnings.length > 0)
    section("quality").append(element("details", {}, element("summary", {}, plural(report.warnings.length, "warning")),
      element("ul", {}, report.warnings.map((text) => element("li", {}, text)))));
}
