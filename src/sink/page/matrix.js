// Messages: the matrix of senders and receivers, and sizes.

function showMessages() {
  const {messages} = report;
  if (messages === null || messages.matched === 0)
    return section("messages").append(element("p", {}, "No message between two processes was matched."));
  section("messages").append(
    element("p", {}, `${plural(messages.matched, "message")}, ${bytesText(messages.bytes)}.`),
    element("div", {class: "columns"},
      element("div", {}, element("h3", {}, "Who sends to whom"), matrixView()),
      element("div", {}, element("h3", {}, "Sizes"), table([
        {name: "From", kind: "bytes", of: (r) => r.from},
        {name: "Messages", kind: "number", of: (r) => r.messages},
      ], messages.sizes, {caption: "Messages of that many bytes, up to twice as many", heading: "none", bar: 1}))));
}

function widthOf(font, texts) {
  const context = element("canvas").getContext("2d");
  context.font = font;
  return texts.reduce((width, text) => Math.max(width, context.measureText(text).width), 0);
}

function matrixView() {
  const {names, cells} = page.matrix;
  const measures = {bytes: {place: 3, text: bytesText}, messages: {place: 2, text: numberText}};
  const canvas = element("canvas", {class: "grid", tabindex: "0", role: "img",
    "aria-label": "Matrix of messages: rows send, columns receive. The table below has its numbers."});
  const side = Math.max(2, Math.min(24, Math.floor(480 / names.length)));
  // Rows have their names, columns the numbers of ranks, as many as there is room for.
  const font = "11px system-ui, sans-serif", most = 120, above = 18;
  const columns = names.map((name) => name.replace(/^rank /, "")), widest = Math.min(60, widthOf(font, columns));
  const step = Math.ceil(14 / side), stepAbove = Math.ceil((widest + 6) / side);
  const left = Math.min(most, Math.ceil(widthOf(font, names)) + 8);
  const byPlace = new Map(cells.map((cell) => [cell[0] * names.length + cell[1], cell]));
  const scale = element("ul", {class: "legend", "aria-label": "Scale of the shades"});
  let measure = measures.bytes, cursor = null;

  function draw() {
    const pixels = window.devicePixelRatio || 1, size = side * names.length + 1;
    canvas.width = (left + size) * pixels;
    canvas.height = (above + size) * pixels;
    canvas.style.width = `${left + size}px`;
    canvas.style.height = `${above + size}px`;
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.body);
    context.scale(pixels, pixels);
    context.font = font;
    context.fillStyle = style.getPropertyValue("--soft");
    names.forEach((name, place) => {
      if (place % step === 0) context.fillText(name, 2, above + place * side + Math.min(side, 14) - 3, left - 6);
      if (place % stepAbove === 0) context.fillText(columns[place], left + place * side + 2, above - 5, widest);
    });
    context.translate(left, above);
    context.fillStyle = style.getPropertyValue("--rest");
    context.fillRect(0, 0, size, size);
    context.fillStyle = style.getPropertyValue("--bar");
    for (const cell of cells) {
      context.globalAlpha = shade(cell[measure.place]);
      context.fillRect(cell[1] * side, cell[0] * side, side - (side > 4 ? 1 : 0), side - (side > 4 ? 1 : 0));
    }
    context.globalAlpha = 1;
    if (cursor === null) return;
    context.strokeStyle = style.getPropertyValue("--mark");
    context.strokeRect(cursor.to * side + 0.5, cursor.from * side + 0.5, side - 1, side - 1);
  }
  const largest = () => cells.reduce((m, cell) => Math.max(m, cell[measure.place]), 1);
  const shade = (value) => 0.12 + 0.88 * Math.log1p(value) / Math.log1p(largest());

  // Shades and what they stand for, from the least to the most.
  function drawScale() {
    const steps = 5, most = largest();
    const values = Array.from({length: steps}, (_, i) => Math.round(Math.expm1(Math.log1p(most) * (i + 1) / steps)));
    scale.replaceChildren(...[...new Set(values)].map((value) => {
      const swatch = element("i");
      swatch.style.background = `color-mix(in srgb, var(--bar) ${Math.round(100 * shade(value))}%, var(--rest))`;
      return element("li", {}, swatch, measure.text(value));
    }));
  }
  function text({from, to}) {
    const cell = byPlace.get(from * names.length + to);
    return `${names[from]} to ${names[to]}: ` + (cell
      ? `${plural(cell[2], "message")}, ${bytesText(cell[3])}` : "no message");
  }
  function at(event) {
    const place = (offset) => Math.max(0, Math.min(names.length - 1, Math.floor(offset / side)));
    return {from: place(event.offsetY - above), to: place(event.offsetX - left)};
  }
  canvas.addEventListener("pointermove", (event) => {
    cursor = at(event);
    draw();
    showTip(event.clientX, event.clientY, text(cursor));
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", (event) => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const move = (place, by) => Math.max(0, Math.min(names.length - 1, place + by));
    cursor = cursor ? {from: move(cursor.from, step[0]), to: move(cursor.to, step[1])} : {from: 0, to: 0};
    draw();
    announce(text(cursor));
  });
  onThemeChange(draw);
  const select = element("select", {onchange: () => { measure = measures[select.value]; draw(); drawScale(); }},
    Object.keys(measures).map((name) => element("option", {}, name)));
  canvas.dataset.left = left;
  canvas.dataset.above = above;
  draw();
  drawScale();
  return element("div", {}, element("div", {class: "tools"}, element("label", {}, "Shades show ", select)),
    element("p", {class: "note"}, "Rows send, columns receive."), canvas, scale,
    element("details", {}, element("summary", {}, "As a table"), table([
      {name: "From", of: (r) => names[r[0]]}, {name: "To", of: (r) => names[r[1]]},
      {name: "Messages", kind: "number", of: (r) => r[2]}, {name: "Bytes", kind: "bytes", of: (r) => r[3]},
    ], cells, {caption: `Messages by ${page.matrix.by}`, heading: "none", sort: 3, filter: "Filter", bar: 3})));
}
