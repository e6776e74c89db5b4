// The rows that are shown: those that a text asks for, of hosts that are open, and how tall they are.

const leastRowHeight = 3, mostRowHeight = 96;

// Each word of the filter stands in the name of the row or of its host; numbers are whole numbers.
function fits(text) {
  return view.wanted.every((word) => (/^\d+$/.test(word) ? new RegExp(`(^|\\D)${word}(\\D|$)`).test(text) : text.includes(word)));
}

const searchText = (row) => `${rowName(row)} ${processName(timeline.rows.processes[row])} ${
  timeline.hosts.names[timeline.rows.hosts[row]] ?? ""}`.toLowerCase();

const isWantedRow = (row) => view.wanted.length === 0 || fits(searchText(row));

function shownRows() {
  if (!isFolded) return timeline.rows.names.map((name, row) => ({row, name})).filter(({row}) => isWantedRow(row));
  return timeline.hosts.names.flatMap((name, host) => {
    const own = {host, name: `${name} (${timeline.hosts.rows[host]})`};
    const rows = view.open.has(host) || (view.wanted.length > 0 && canOpen && !fits(name.toLowerCase()))
      ? rowsOfHost[host].filter(isWantedRow).map((row) => ({row, name: `   ${rowName(row)}`})) : [];
    return rows.length > 0 || view.wanted.length === 0 || fits(name.toLowerCase()) ? [own, ...rows] : [];
  });
}

function toggleHost(host) {
  if (!canOpen) return;
  if (view.open.has(host)) view.open.delete(host);
  else view.open.add(host);
  showRows();
  announce(`${timeline.hosts.names[host]} ${view.open.has(host) ? "is open" : "is closed"}`);
}

function showRows() {
  shown = shownRows();
  const height = top + Math.max(1, shown.length) * rowHeight;
  const border = viewer.offsetHeight - viewer.clientHeight;
  viewer.style.height = `${Math.min(height, Math.max(240, Math.round(innerHeight * 0.7))) + border}px`;
  spacer.style.height = `${Math.max(0, height - viewer.clientHeight)}px`;
  view.cursor.row = Math.max(0, Math.min(view.cursor.row, shown.length - 1));
  section("timeline").dataset.rows = shown.length;
  section("timeline").dataset.height = rowHeight;
  drawSoon();
}

// The row of the cursor stays where it is.
function setRowHeight(height) {
  const above = view.cursor.row * rowHeight - viewer.scrollTop;
  rowHeight = Math.max(leastRowHeight, Math.min(mostRowHeight, Math.round(height)));
  showRows();
  viewer.scrollTop = view.cursor.row * rowHeight - above;
  announce(`Rows are ${rowHeight} pixels tall`);
}
const tallerRows = () => setRowHeight(rowHeight * 1.5);
const flatterRows = () => setRowHeight(rowHeight / 1.5);

function filterRows(text) {
  view.wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  viewer.scrollTop = 0;
  showRows();
}

const rowInput = element("input", {type: "search", id: "rows", placeholder: "rank, host or thread", oninput: () => {
  filterRows(rowInput.value);
  announce(`${plural(shown.length, "row")} of the timeline`);
}});

// A row that is to be seen is not kept away by the filter.
function letPass(row) {
  if (row === undefined || isWantedRow(row)) return;
  rowInput.value = "";
  filterRows("");
}
