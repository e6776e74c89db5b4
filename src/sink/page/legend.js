// The legend: what colours mean. An entry stands out in the timeline while it is pointed at or has the focus, and
// a click hides it.

const swatchOf = (colour) => {
  const made = element("i");
  made.style.background = colour;
  return made;
};

// A button for some categories.
function legendEntry(name, places, colour, kind) {
  const isHidden = () => places.every((place) => chosen.hidden.has(Math.min(place, 63)));
  const highlight = (isOn) => {
    chosen.bright = isOn && !isHidden() ? new Set(places.map((place) => Math.min(place, 63))) : null;
    drawSoon();
  };
  const entry = element("button", {type: "button", class: kind, title: "Click to hide or show", onclick: () => {
    const hide = !isHidden();
    for (const place of places) chosen.hidden[hide ? "add" : "delete"](Math.min(place, 63));
    highlight(!hide);
    updateLegend();
    announce(`${name} ${hide ? "is hidden" : "is shown"}`);
  }, onpointerenter: () => highlight(true), onpointerleave: () => highlight(false),
  onfocus: () => highlight(true), onblur: () => highlight(false)}, swatchOf(colour), name);
  entry.update = () => entry.setAttribute("aria-pressed", String(!isHidden()));
  entry.update();
  return entry;
}

function updateLegend() {
  for (const entry of document.querySelectorAll("#timeline .legend button")) entry.update();
}

// Each meaning with the functions and states that have it, most time first.
function legend() {
  const most = 6;
  const places = timeline.categories.map((_, place) => place).filter((place) => categoryColour(place));
  const groups = [...meanings, null].map((meaning) => [meaning, places.filter((place) => meaningOfCategory(place) === meaning)])
    .filter(([, of]) => of.length > 0);
  const list = element("ul", {class: "legend meanings", "aria-label": "Colours"});
  const fill = () => list.replaceChildren(...groups.map(([meaning, of]) => {
    const items = of.slice(0, most).map((place) => legendEntry(categoryName(place), [place], categoryColour(place), "category"));
    if (of.length > most) items.push(element("span", {class: "note"}, ` and ${of.length - most} more`));
    return element("li", {}, meaning ? legendEntry(meaning.name, of, colourOfMeaning(meaning, isDark()), "meaning") : null,
      meaning && of.length === 1 && categoryName(of[0]) === meaning.name ? null : items);
  }));
  onThemeChange(fill);
  fill();
  return list;
}

// The thin lines of rows: above regions, below waits.
function legendOfLines() {
  const most = 12;
  const items = timeline.regions.slice(0, most).map((name, place) => element("li", {}, swatchOf(regionColour(place)), name));
  const more = timeline.regions.length - most;
  if (more > 0) items.push(element("li", {class: "note"}, `and ${more} more`));
  if (items.length > 0) items.unshift(element("li", {class: "note"}, "Upper line, regions:"));
  if (Object.keys(timeline.waits).length > 0)
    items.push(element("li", {class: "note"}, "Lower line, close by:"), element("li", {}, swatchOf("var(--mark)"), "waits"));
  return items.length > 0 ? element("ul", {class: "legend", "aria-label": "Colours of regions and waits"}, items) : null;
}
