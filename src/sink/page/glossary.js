// The words that the page uses in a sense of its own: next to where they stand, and in a list at the end.

const glossary = {
  "rank": "A process of an MPI program, by its number in MPI_COMM_WORLD.",
  "node": "A computer with a clock of its own; hosts are the same.",
  "loom": "The processes of one node that share its CPUs, as the tracer groups them.",
  "stream": "What one thread has recorded.",
  "region": "A part of the program that its author named, by MPI_Pcontrol or a control file.",
  "call site": "A place of the program, as a line of its source, that calls MPI.",
  "gap": "A time in which a thread recorded nothing, though it went on.",
  "computation": "Time outside of MPI. It is called useful time as well.",
  "parallel efficiency": "The share of computation in the time of all processes: load balance times communication efficiency.",
  "load balance": "The mean computation of the processes, as a share of the one that computes longest. It is low if work is uneven.",
  "communication efficiency": "The computation of the busiest process as a share of the runtime: serialisation times transfer.",
  "serialisation": "Processes that wait for one another, in turn, though the work is even. Its efficiency is the computation of the "
    + "busiest process as a share of the runtime in an ideal network.",
  "transfer": "Time that data takes from process to process. Its efficiency is the runtime in an ideal network as a share of the real one.",
  "ideal network": "A network in which data arrives at once. The run is replayed with it.",
  "critical path": "The chain of work and messages that the length of the run hangs on. Other work may take longer without any effect.",
  "wait": "Time in a call of MPI in which a process can do nothing, because another one comes later.",
  "certain": "The part of a wait that remains however wrong the clocks of two nodes may be.",
  "short-term": "Waits of others for what this process did itself.",
  "long-term": "Waits that others passed on: they had waited for this process before, and so came late themselves.",
  "skewed": "The trace is complete, but the run was disturbed, as by threads that share a CPU.",
  "drift": "Clocks that run at different speeds. The emulator corrects them by the measurements of ovnisync.",
  "OpenMP idle": "Threads of OpenMP that wait at a barrier, or for work.",
  "helper thread": "A thread that only serves a library, as to drive communication. Its row is pale.",
};

const wordId = (term) => `word-${term.replace(/\W+/g, "-")}`;

function word(term, text = term) {
  return element("a", {class: "word", href: `#${wordId(term)}`}, element("abbr", {title: glossary[term]}, text));
}

// Words that everybody reads as they are meant stand in the list only. Longer ones are found first.
const plainWords = ["rank", "node", "wait", "region", "stream", "gap", "computation"];
const wordPattern = new RegExp(`\\b(${Object.keys(glossary).filter((term) => !plainWords.includes(term)).sort((a, b) => b.length - a.length).join("|")})(s?)\\b`, "gi");

// A text with the words of the glossary in it; each is explained once.
function withWords(text) {
  const parts = [], used = new Set();
  let end = 0;
  for (const match of text.matchAll(wordPattern)) {
    const term = Object.keys(glossary).find((name) => name.toLowerCase() === match[1].toLowerCase());
    if (used.has(term)) continue;
    used.add(term);
    parts.push(text.slice(end, match.index), word(term, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
}

// For tips, in which there is no room for links.
const meaningOfWord = (name) => glossary[name.toLowerCase().replace(/ efficiency$/, "")] ?? glossary[name.toLowerCase()] ?? null;

function showGlossary() {
  section("words").append(element("dl", {}, Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, "en", {sensitivity: "base"}))
    .flatMap(([term, text]) => [element("dt", {id: wordId(term)}, term), element("dd", {}, text)])));
}
