// Hybrid efficiencies: the time that threads lose outside of MPI, by process and parallel region.

// The ways of using a thread, by their names in the report.
const uses = {
  useful: "Useful", mpi: "In MPI", mpi_wait: "Idle in MPI waits", during_mpi: "Idle during MPI", serial: "Idle outside of regions",
  imbalance: "Imbalance", scheduling: "Scheduling", locks: "Locks", sleep: "Sleep",
};

function lifeOf(row) {
  return Object.keys(uses).reduce((all, use) => all + row[use], 0);
}

function useColumns(shown) {
  return shown.map((use) => ({name: uses[use], kind: "percent", of: (r) => (lifeOf(r) > 0 ? r[use] / lifeOf(r) : 0)}));
}

function showThreads() {
  const {hybrid} = report;
  if (!hybrid) return hideEmpty("threads");
  const ratio = (name, key) => ({name, kind: "percent", of: (r) => r[key]});
  const inRun = hybrid.processes.filter((r) => r.region === null);
  section("threads").append(
    table([
      {name: "Region", of: (r) => r.region ?? "the whole run"},
      {name: "Threads", kind: "number", of: (r) => r.threads},
      {name: "Runtime", kind: "time", of: (r) => r.runtime},
      ratio("Hybrid", "parallel_efficiency"), ratio("MPI", "mpi_parallel_efficiency"),
      ratio("Threads only", "thread_efficiency"), ratio("During MPI", "efficiency_during_mpi"),
      ratio("Serialisation", "serialisation_efficiency"), ratio("Load balance", "load_balance"),
      ratio("Scheduling", "scheduling_efficiency"), ratio("Locks", "lock_efficiency"), ratio("Supply", "supply_with_work"),
    ], hybrid.efficiencies, {caption: "Hybrid efficiencies", sort: 2, filter: "Filter", bar: 2}),
    table([
      {name: "Process", of: (r) => processName(r.process)},
      {name: "Threads", kind: "number", of: (r) => r.threads},
      ...useColumns(Object.keys(uses)),
    ], inRun, {caption: "Time of threads by process", sort: 2, filter: "Filter", bar: 2}),
    ...[leftOut("hybrid.processes", hybrid.processes.length)].filter(Boolean));
  if (hybrid.parallel_regions.length > 0) section("threads").append(
    table([
      {name: "Parallel region", of: (r) => r.label ?? "unknown"},
      {name: "Process", of: (r) => processName(r.process)},
      {name: "Visits", kind: "number", of: (r) => r.visits},
      {name: "Threads", kind: "number", of: (r) => r.threads},
      {name: "Time", kind: "time", of: (r) => r.elapsed},
      {name: "Lost", kind: "time", of: (r) => lifeOf(r) - r.useful},
      ...useColumns(["useful", "imbalance", "scheduling", "locks"]),
      ...(hybrid.parallel_regions.some((r) => r.line) ? [{name: "Line", of: (r) => r.line ?? ""}] : []),
    ], hybrid.parallel_regions, {caption: "Parallel regions of OpenMP", sort: 5, filter: "Filter", bar: 5}),
    ...[leftOut("hybrid.parallel_regions", hybrid.parallel_regions.length)].filter(Boolean));
  if (hybrid.left_out.length > 0) section("threads").append(element("p", {},
    `${plural(hybrid.left_out.length, "thread")} that sleep for more than 95 % of their lives are left out.`));
}
