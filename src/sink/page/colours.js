// Colours of what rows show, light and dark.

const functionKinds = [
  [/^MPI_(I?recv|M?probe|I?mprobe|Imrecv|Mrecv|Improbe)/i, 32],
  [/^MPI_(Wait|Test)/, 4],
  [/^MPI_(I?[bsr]?send|Sendrecv|Start)/i, 212],
  [/^MPI_I?barrier/i, 305],
  [/^MPI_I?(all|bcast|reduce|gather|scatter|scan|exscan|neighbor)/i, 268],
  [/^MPI_(Put|Get|R?accumulate|Win|Fetch|Rput|Rget|Compare)/i, 178],
  [/^MPI_File/, 60],
  [/^MPI_(Init|Finalize)/, 52],
  [/^MPI_/, 80],
];

function hash(text) {
  let value = 7;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) % 9973;
  return value;
}

const otherHues = {lock: 345, openmp: 140, task: 85};

// Functions of a kind have one hue and differ in lightness.
function categoryColour(place) {
  const category = timeline.categories[place];
  if (category === undefined) return "#888";
  if (category.kind === "state")
    return {1: "var(--work)", 6: "var(--lost)", 2: "var(--rest)", 4: "var(--rest)", 5: "var(--rest)"}[category.value] ?? "";
  const shade = hash(category.name);
  const hue = category.kind === "mpi" ? functionKinds.find(([pattern]) => pattern.test(category.name))?.[1] ?? 80
    : otherHues[category.kind];
  return `hsl(${hue + shade % 13 - 6} ${58 + shade % 24}% ${44 + shade % 17}%)`;
}

// Neighbours in the list are far apart: each turns by the golden angle.
function regionColour(place) {
  return `hsl(${(20 + 137.5 * place) % 360} 45% 55%)`;
}

const themeListeners = [];
function onThemeChange(listener) {
  themeListeners.push(listener);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => themeListeners.forEach((call) => call()));

// As the theme has them, by place.
let colours = [], regionColours = [];
const theme = {};

function learnTheme() {
  const style = getComputedStyle(document.body);
  for (const name of ["back", "text", "soft", "line", "rest", "mark", "raised", "work", "count"])
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  const plain = (colour) => (colour.startsWith("var(") ? style.getPropertyValue(colour.slice(4, -1)).trim() : colour);
  colours = timeline.categories.map((_, place) => plain(categoryColour(place)));
  colours[63] ??= "#888";
  regionColours = timeline.regions.map((_, place) => regionColour(place));
}
