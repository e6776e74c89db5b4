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
      ], messages.sizes, {caption: "Messages of that many bytes, up to twice as many", bar: 1}))));
}

function matrixView() {
  const {names, cells} = page.matrix;
  const measures = {bytes: {place: 3, text: bytesText}, messages: {place: 2, text: numberText}};
  const canvas = element("canvas", {class: "grid", tabindex: "0", role: "img",
    "aria-label": "Matrix of messages: rows send, columns receive. The table below has its numbers."});
  const side = Math.max(2, Math.min(24, Math.floor(480 / names.length)));
  const byPlace = new Map(cells.map((cell) => [cell[0] * names.length + cell[1], cell]));
  let measure = measures.bytes, cursor = null;

  function draw() {
    const scale = window.devicePixelRatio || 1, size = side * names.length + 1;
    canvas.width = canvas.height = size * scale;
    canvas.style.width = canvas.style.height = `${size}px`;
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.body);
    context.scale(scale, scale);
    context.fillStyle = style.getPropertyValue("--rest");
    context.fillRect(0, 0, size, size);
    const most = cells.reduce((m, cell) => Math.max(m, cell[measure.place]), 1);
    context.fillStyle = style.getPropertyValue("--bar");
    for (const cell of cells) {
      context.globalAlpha = 0.12 + 0.88 * Math.log1p(cell[measure.place]) / Math.log1p(most);
      context.fillRect(cell[1] * side, cell[0] * side, side - (side > 4 ? 1 : 0), side - (side > 4 ? 1 : 0));
    }
    context.globalAlpha = 1;
    if (cursor === null) return;
    context.strokeStyle = style.getPropertyValue("--mark");
    context.strokeRect(cursor.to * side + 0.5, cursor.from * side + 0.5, side - 1, side - 1);
  }
  function text({from, to}) {
    const cell = byPlace.get(from * names.length + to);
    return `${names[from]} to ${names[to]}: ` + (cell
      ? `${plural(cell[2], "message")}, ${bytesText(cell[3])}` : "no message");
  }
  function at(event) {
    const place = (offset) => Math.max(0, Math.min(names.length - 1, Math.floor(offset / side)));
    return {from: place(event.offsetY), to: place(event.offsetX)};
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
    say(text(cursor));
  });
  onThemeChange(draw);
  const select = element("select", {onchange: () => { measure = measures[select.value]; draw(); }},
    Object.keys(measures).map((name) => element("option", {}, name)));
  draw();
  return element("div", {}, element("div", {class: "tools"}, element("label", {}, "Shades show ", select)),
    element("p", {class: "note"}, "Rows send, columns receive."), canvas,
    element("details", {}, element("summary", {}, "As a table"), table([
      {name: "From", of: (r) => names[r[0]]}, {name: "To", of: (r) => names[r[1]]},
      {name: "Messages", kind: "number", of: (r) => r[2]}, {name: "Bytes", kind: "bytes", of: (r) => r[3]},
    ], cells, {caption: `Messages by ${page.matrix.by}`, sort: 3, filter: "Filter", bar: 3})));
}
