// Colours of what rows show, light and dark.

// States of threads besides running: paused, cooling, warming, not traced.
const stateColours = {2: "var(--rest)", 4: "var(--rest)", 5: "var(--rest)", 6: "var(--lost)"};
const running = 1;

// Null: no meaning, as of a thread that does not run.
function meaningOfCategory(place) {
  const category = timeline.categories[place];
  if (category === undefined) return meanings.at(-1);
  if (category.kind === "state") return category.value === running ? meanings[0] : null;
  return meaningOf(category.name, category.kind);
}

function categoryColour(place) {
  const category = timeline.categories[place];
  if (category === undefined) return "#888";
  if (category.kind !== "state") return colourOfLabel(category.name, category.kind, isDark());
  return category.value === running ? colourOfMeaning(meanings[0], isDark()) : stateColours[category.value] ?? "";
}

// Neighbours in the list are far apart: each turns by the golden angle.
function regionColour(place) {
  return `hsl(${(20 + 137.5 * place) % 360} 45% 55%)`;
}

// Threads that only help the program, as those that drive communication, are pale.
const helperName = / thread .*(helper|progress|async|event|monitor|watch|signal|timer|drain|ucx|ucs|pmix|orte|opal|cuda|listener)/i;
const isHelper = (item) => item.row !== undefined && helperName.test(item.name);
const helperStrength = 0.4, faded = 0.12;

const darkTheme = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => darkTheme.matches;
const themeListeners = [];
function onThemeChange(listener) {
  themeListeners.push(listener);
}
darkTheme.addEventListener("change", () => themeListeners.forEach((call) => call()));

// As the theme has them, by place.
let colours = [], regionColours = [];
const theme = {};

function learnTheme() {
  const style = getComputedStyle(document.body);
  for (const name of ["back", "text", "soft", "line", "rest", "mark", "raised", "link", "count"])
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  const plain = (colour) => (colour.startsWith("var(") ? style.getPropertyValue(colour.slice(4, -1)).trim() : colour);
  colours = timeline.categories.map((_, place) => plain(categoryColour(place)));
  colours[63] ??= "#888";
  regionColours = timeline.regions.map((_, place) => regionColour(place));
}

// The legend hides categories, and lets one stand out while it is pointed at.
const chosen = {hidden: new Set(), bright: null};

// The colour of a category as it is drawn; "" if it is not. The context gets its strength.
function paintOf(context, place, strength) {
  const kept = Math.min(place, 63);
  if (chosen.hidden.has(kept)) return "";
  context.globalAlpha = chosen.bright === null || chosen.bright.has(kept) ? strength : faded * strength;
  return colours[kept];
}
