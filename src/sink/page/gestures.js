// The timeline follows the pointer, the wheel and the keys. Keys can do whatever the pointer can.

function itemAt(event) {
  const {top: canvasTop, left} = canvas.getBoundingClientRect();
  const y = event.clientY - canvasTop, x = event.clientX - left;
  const place = Math.floor((y - top + viewer.scrollTop) / rowHeight);
  return {place, x, y, item: y < top ? undefined : shown[place]};
}

function announceCursor() {
  const item = shown[view.cursor.row];
  if (item) announce(textAt(item, view.cursor.time).replaceAll("\n", ", "));
}

function moveCursor(rows, pixels) {
  const {cursor} = view;
  cursor.row = Math.max(0, Math.min(shown.length - 1, cursor.row + rows));
  const y = cursor.row * rowHeight;
  if (y < viewer.scrollTop) viewer.scrollTop = y;
  if (y + rowHeight > viewer.scrollTop + viewer.clientHeight - top)
    viewer.scrollTop = y + rowHeight - viewer.clientHeight + top;
  if (cursor.time < view.from || cursor.time > view.to) cursor.time = (view.from + view.to) / 2;
  cursor.time = Math.max(0, Math.min(timeline.end, cursor.time + pixels / plotWidth() * (view.to - view.from)));
  const span = view.to - view.from;
  if (cursor.time < view.from || cursor.time > view.to) look(cursor.time - span / 2, cursor.time + span / 2);
  drawSoon();
  announceCursor();
}

const keys = {
  ArrowLeft: (far) => moveCursor(0, far ? -plotWidth() / 4 : -10),
  ArrowRight: (far) => moveCursor(0, far ? plotWidth() / 4 : 10),
  ArrowUp: () => moveCursor(-1, 0),
  ArrowDown: () => moveCursor(1, 0),
  "+": () => zoomAtCursor(0.5),
  "=": () => zoomAtCursor(0.5),
  "-": () => zoomAtCursor(2),
  Home: () => look(0, timeline.end),
  0: () => look(0, timeline.end),
  n: () => nextWait(1),
  p: () => nextWait(-1),
  Backspace: () => lookBack(),
  t: () => tallerRows(),
  f: () => flatterRows(),
  Enter: () => {
    const item = shown[view.cursor.row];
    if (item?.host !== undefined) toggleHost(item.host);
    else announceCursor();
  },
};

// A drag chooses the time to zoom to; with Shift it moves the view.
function drag(event) {
  if (event.button !== 0) return;
  const begin = {x: itemAt(event).x, from: view.from, to: view.to, moved: false, isMove: event.shiftKey};
  const within = (x) => Math.max(view.from, Math.min(view.to, timeOf(x)));
  const move = (to) => {
    const {x} = itemAt(to);
    if (Math.abs(x - begin.x) > 3) begin.moved = true;
    if (!begin.moved) return;
    if (begin.isMove) {
      const by = (x - begin.x) / plotWidth() * (begin.to - begin.from);
      look(begin.from - by, begin.to - by);
    } else {
      view.selection = [within(Math.min(x, begin.x)), within(Math.max(x, begin.x))];
      hideTip();
      drawSoon();
    }
  };
  const stop = () => {
    for (const [kind, act] of [["pointermove", move], ["pointerup", end], ["pointercancel", stop]])
      canvas.removeEventListener(kind, act);
    document.removeEventListener("keydown", escape);
    view.selection = null;
    drawSoon();
  };
  const escape = (pressed) => { if (pressed.key === "Escape") stop(); };
  const end = (to) => {
    const {selection} = view;
    stop();
    if (selection) zoomTo(...selection);
    else if (!begin.moved) click(to);
  };
  canvas.setPointerCapture(event.pointerId);
  for (const [kind, act] of [["pointermove", move], ["pointerup", end], ["pointercancel", stop]])
    canvas.addEventListener(kind, act);
  document.addEventListener("keydown", escape);
}

function click(event) {
  const {place, item, x} = itemAt(event);
  if (!item) return;
  view.cursor.row = place;
  if (x < gutter && item.host !== undefined) toggleHost(item.host);
  else view.cursor.time = Math.max(0, timeOf(x));
  drawSoon();
}

function wheel(event) {
  if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
  event.preventDefault();
  zoom(1.2 ** Math.sign(event.deltaY || event.deltaX), Math.max(view.from, timeOf(itemAt(event).x)));
}

function listenToGestures() {
  canvas.addEventListener("wheel", wheel, {passive: false});
  canvas.addEventListener("pointerdown", drag);
  canvas.addEventListener("pointermove", (event) => {
    const {item, x} = itemAt(event);
    if (view.selection) return;
    if (item && x >= gutter) showTip(event.clientX, event.clientY, textAt(item, timeOf(x)));
    else if (item) showTip(event.clientX, event.clientY, item.name);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event.shiftKey);
  });
}
