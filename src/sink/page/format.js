// Numbers as text, and elements. Texts of the trace become text nodes, never HTML.

const timeUnits = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

function timeText(ns) {
  if (ns === null || ns === undefined) return "unknown";
  for (const [unit, length] of timeUnits)
    if (Math.abs(ns) >= length) {
      const value = ns / length;
      return `${value.toFixed(unit === "ns" ? 0 : value < 10 ? 3 : value < 100 ? 2 : 1)} ${unit}`;
    }
  return "0 ns";
}

// A moment, as exact as a step of that many ns needs it, in the unit for moments about as late as `about`.
function momentText(ns, step, about = ns) {
  const [unit, length] = timeUnits.find(([, unitLength]) => about >= unitLength) ?? timeUnits[3];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / length))));
  return `${(ns / length).toFixed(digits)} ${unit}`;
}

function numberText(number) {
  return number === null || number === undefined ? "" : String(number).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes, unit = 0;
  for (; value >= 1000 && unit + 1 < units.length; ++unit) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

// For amounts that are right to a percent or so: three digits, and behind the blank a unit may follow.
function shortText(value) {
  const units = [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  const [unit, size] = units.find(([, least]) => value >= least) ?? ["", 1];
  const digits = value >= 100 * size ? 0 : value >= 10 * size ? 1 : 2;
  return value > 0 ? `${(value / size).toFixed(digits)} ${unit}` : "0 ";
}

function percentText(ratio) {
  return `${(100 * ratio).toFixed(ratio < 0.1 ? 1 : 0)} %`;
}

function plural(count, one, many = `${one}s`) {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function section(id) {
  return document.getElementById(id);
}

function announce(text) {
  section("said").textContent = text;
}
