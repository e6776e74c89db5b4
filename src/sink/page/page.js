// The page is put together.

const tip = element("div", {class: "tip", hidden: ""});

function showTip(x, y, text) {
  tip.textContent = text;
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(0, x + 14 + width > innerWidth ? x - width - 10 : x + 14)}px`;
  tip.style.top = `${Math.max(0, y + 14 + height > innerHeight ? y - height - 10 : y + 14)}px`;
}

function hideTip() {
  tip.hidden = true;
}

function showSections() {
  for (const part of document.querySelectorAll("main > section"))
    if (!part.hidden)
      section("sections").append(element("li", {}, element("a", {href: `#${part.id}`},
        part.querySelector("h2").textContent)));
}

document.body.append(tip);
showHead();
for (const show of [showTiles, showFindings, showTimeline, showQuality, showEfficiencies, showThreads, showFunctions, showWaits, showMessages, showLocks,
  showCallSites, showCounters, showRun, showGlossary]) show();
showSections();
