// The section that comes first.

function showFindings() {
  const lines = report.in_short;
  if (lines.length === 0) return hideEmpty("short");
  section("short").append(element("ul", {}, lines.map((line) => element("li", {}, ...withWords(line)))));
}
