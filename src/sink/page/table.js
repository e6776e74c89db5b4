// Tables that are sorted by their heads, and filtered by text.

const cellTexts = {
  text: (value) => value ?? "",
  time: timeText,
  number: numberText,
  bytes: bytesText,
  percent: percentText,
  ratio: (value) => (value === null ? "" : value.toFixed(2)),
};

const mostRowsAtOnce = 300;

// Columns in which no row says anything are left out.
const emptyTexts = ["", "(none)"];

// columns: {name, of: row => value, kind, node: row => element (optional)}. kind: of cellTexts.
// word: what the glossary has on the column, if not under its name.
// options: caption, sort: place of the column, filter: its label, bar: place of a column, heading: "none" if one
// stands above already.
function table(columns, rows, options = {}) {
  if (rows.length === 0) return element("p", {class: "note"}, `${options.caption}: nothing was recorded.`);
  const body = element("tbody");
  const shownCount = element("span", {class: "note", role: "status"});
  const all = element("button", {type: "button", hidden: ""}, "Show all");
  let sort = options.sort ?? null, descending = true, wanted = "", limit = mostRowsAtOnce;
  const most = options.bar === undefined ? 0 : rows.reduce((m, row) => Math.max(m, columns[options.bar].of(row)), 0);

  const places = columns.map((_, place) => place).filter((place) => place === 0 || columns[place].node
    || rows.some((row) => !emptyTexts.includes(cellTexts[columns[place].kind ?? "text"](columns[place].of(row)))));
  const buttons = columns.map((column, place) => element("button", {type: "button", title: meaningOfWord(column.word ?? column.name), onclick: () => {
    descending = sort === place ? !descending : (column.kind ?? "text") !== "text";
    sort = place;
    fill();
    announce(`Sorted by ${column.name}, ${descending ? "descending" : "ascending"}`);
  }}, column.name));
  const heads = columns.map((column, place) =>
    element("th", {scope: "col", class: column.kind && column.kind !== "text" ? "number" : null}, buttons[place]));

  function cell(column, row, place) {
    const value = column.of(row);
    const isNumber = column.kind && column.kind !== "text";
    const made = element(place === 0 ? "th" : "td", {scope: place === 0 ? "row" : null});
    if (isNumber) made.classList.add("number");
    if (place === options.bar && most > 0) {
      made.classList.add("bar");
      made.style.setProperty("--share", `${100 * value / most}%`);
    }
    made.append(column.node ? column.node(row) : cellTexts[column.kind ?? "text"](value));
    return made;
  }
  function textOf(row) {
    return columns.map((column) => cellTexts[column.kind ?? "text"](column.of(row))).join(" ").toLowerCase();
  }
  function fill() {
    let shown = wanted ? rows.filter((row) => textOf(row).includes(wanted)) : [...rows];
    if (sort !== null) {
      const of = columns[sort].of;
      const order = (a, b) => (a === b ? 0 : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1);
      shown.sort((a, b) => (descending ? order(of(b), of(a)) : order(of(a), of(b))));
    }
    heads.forEach((head, place) => {
      if (place === sort) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      buttons[place].textContent = columns[place].name + (place === sort ? (descending ? " \u25be" : " \u25b4") : "");
    });
    shownCount.textContent = `${numberText(Math.min(shown.length, limit))} of ${plural(rows.length, "row")}`;
    all.hidden = shown.length <= limit;
    body.replaceChildren(...shown.slice(0, limit).map((row) => element("tr", {}, places.map((i) => cell(columns[i], row, i)))));
  }
  all.addEventListener("click", () => { limit = Infinity; fill(); });
  window.addEventListener("beforeprint", () => { limit = Infinity; fill(); });
  fill();
  const filter = options.filter === undefined ? null : element("label", {}, `${options.filter} `,
    element("input", {type: "search", oninput: (event) => { wanted = event.target.value.toLowerCase(); fill(); }}));
  const heading = options.heading === "none" ? null : element("h3", {}, options.caption);
  return element("div", {class: "table"}, heading,
    element("div", {class: "tools"}, filter, shownCount, all),
    element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption},
      element("table", {}, element("caption", {class: heading ? "unseen" : null}, options.caption), element("thead", {}, element("tr", {}, places.map((place) => heads[place]))), body)));
}
