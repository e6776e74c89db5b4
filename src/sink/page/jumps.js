// The windows of the page, which have all changes: at the longest waits, and at the first instance of each region.

// A window of the page comes into view, with its rows. The time that was asked for gets a mark.
function showWindow(window, {from, to, name}) {
  view.mark = {row: window?.row, from, to, name};
  section("timeline").dataset.mark = `${from} ${to}`;
  for (const row of window?.clips.keys() ?? []) if (isFolded && canOpen) view.open.add(timeline.rows.hosts[row]);
  letPass(window?.row);
  showRows();
  const place = shown.findIndex((item) => item.row === window?.row);
  if (place >= 0) view.cursor.row = place;
  view.cursor.time = from;
  look(from - (to - from) / 4, to + (to - from) / 4);
  viewer.scrollTop = Math.max(0, (view.cursor.row - 4) * rowHeight);
}

function windowOfWait(wait) {
  return details.find((window) => window.wait && window.wait[0] === wait.from && window.wait[1] === wait.to
    && timeline.rows.processes[window.row] === wait.process) ?? details.find((window) => window.kind === "whole");
}

// Undefined where the page does not know it.
function rowOfWait(wait) {
  const window = windowOfWait(wait);
  return window?.kind === "wait" ? window.row : undefined;
}

function showWait(wait) {
  const window = windowOfWait(wait), row = timeline.rows.processes.indexOf(wait.process);
  showWindow({...window, row: window?.row ?? (row < 0 ? undefined : row)}, {from: wait.from, to: wait.to, name: wait.wait});
  section("timeline").scrollIntoView();
  canvas.focus({preventScroll: true});
  announce(`${wait.wait} of ${processName(wait.process)} is shown`);
}

let waitPlace = -1;
function nextWait(step) {
  const all = report.waits?.longest ?? [];
  if (all.length === 0) return announce("There are no waits");
  waitPlace = (waitPlace + step + all.length) % all.length;
  showWait(all[waitPlace]);
}

function regionChoice() {
  const windows = details.filter((window) => window.kind === "region");
  if (windows.length === 0) return null;
  const select = element("select", {onchange: () => {
    const window = windows[select.value];
    if (window) showWindow(window, window);
  }}, element("option", {value: ""}, "choose"),
  windows.map((window, place) => element("option", {value: place}, window.name)));
  const left = timeline.entered_regions - windows.length;
  return element("label", {}, "First instance of region ", select,
    left > 0 ? ` (of ${numberText(timeline.entered_regions)}; later ones are left out)` : null);
}
