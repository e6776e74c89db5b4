// The timeline in words: for the tip at the pointer, and for readers of screens.

// A row at a time, by a clip.
function textsOfClip({clip, to}, at) {
  const {categories, regions, waits} = clip, texts = [];
  const place = placeAt(categories, at), region = placeAt(regions, at), wait = placeAt(waits, at);
  if (place >= 0) {
    const until = place + 1 < categories.length ? categories[place + 1][0] : to;
    texts.push(`${categoryName(categories[place][1])}, ${timeText(until - categories[place][0])}`);
  }
  if (region >= 0 && regions[region][1]) texts.push(`in ${regionName(regions[region][1])}`);
  if (wait >= 0 && waits[wait][1]) texts.push(`waits: ${timeline.waits[waits[wait][1]] ?? ""}`);
  return texts;
}

// A row or host at a time, by columns.
function textsOfShares(item, time) {
  const [kept, {cells, width}, place] = item.host !== undefined
    ? [hostCells, timeline.hosts, item.host] : [rowCells, timeline.rows, item.row];
  const until = time + Math.max(1, (view.to - view.from) / plotWidth());
  const texts = shares(cellsOf(kept, cells, place), width, time, until)
    .map(({place: category, share}) => `${categoryName(category)}: ${percentText(share)}`);
  if (!hasRegions) return texts;
  const regions = shares(regionCells, timeline.region_cells.width, time, until);
  return regions.length > 0 ? [...texts, `mostly in ${regionName(regions[0].place + 1)}`] : texts;
}

function longWaitTexts(row, at) {
  const process = timeline.rows.processes[row];
  return (report.waits?.longest ?? []).filter((wait) => wait.process === process && wait.from <= at && at < wait.to
    && (rowOfWait(wait) ?? row) === row)
    .map((wait) => `${wait.wait} in ${wait.function}: ${timeText(wait.to - wait.from)} for ${processName(wait.cause)}`
      + (wait.called_by ? `\ncalled by ${wait.called_by}` : ""));
}

// A point of the timeline.
function textAt(item, time) {
  const at = Math.round(time);
  const clip = item.host === undefined ? clipAt(item.row, at, at) : null;
  const lines = [item.name.trim(), momentText(time, axisStep() / 100),
    ...(clip && at <= clip.to ? textsOfClip(clip, at) : textsOfShares(item, time)), ...counterTexts(item, time)];
  if (item.row === undefined) return lines.join("\n");
  const waits = longWaitTexts(item.row, at);
  return [...lines.filter((line) => waits.length === 0 || !line.startsWith("waits: ")), ...waits,
    ...messageTexts(item.row, at).slice(0, 3)].join("\n");
}

function messageTexts(row, at) {
  const texts = new Set();
  for (const [, time, sendEnd, receiveBegin, end, sender, receiver, bytes, tag] of timeline.messages) {
    const size = bytes > 2 ** 63 ? "a message" : bytesText(bytes);
    if (sender === row && time <= at && at <= Math.max(sendEnd, time)) texts.add(`sends ${size} to ${rowName(receiver)}, tag ${tag}`);
    if (receiver === row && receiveBegin <= at && at <= end) texts.add(`receives ${size} from ${rowName(sender)}, tag ${tag}`);
  }
  return [...texts];
}
