// Meanings of what rows do, such as computation or waiting, and the colour of each. The plots have the same table
// (scripts/plots/meanings.py): a test compares the two.

const meanings = [
  {name: "computation", hue: 205, saturation: 50, light: 72, dark: 34},
  {name: "waiting", hue: 355, saturation: 72, light: 52, dark: 52},
  {name: "transfer", hue: 36, saturation: 85, light: 50, dark: 50},
  {name: "synchronisation", hue: 282, saturation: 48, light: 50, dark: 56},
  {name: "I/O", hue: 160, saturation: 65, light: 36, dark: 42},
  {name: "OpenMP idle", hue: 20, saturation: 22, light: 68, dark: 46},
  {name: "management", hue: 215, saturation: 14, light: 50, dark: 52},
];

// The first pattern that fits a label decides; the kinds say where labels come from.
const meaningRules = {
  mpi: [
    [/^MPI_File_/, "I/O"],
    [/_init(_c)?$/, "management"],
    [/^MPI_(Wait|Test|(I?m)?probe|Iprobe|Recv(_c)?$|Mrecv)/i, "waiting"],
    [/^MPI_(I?barrier|Win_(fence|lock|unlock|flush|sync|post|start|complete|wait|test))/i, "synchronisation"],
    [/^MPI_(I?[bsr]?send|Irecv|Imrecv|Start|Pready|I?(allgather|allreduce|alltoall|bcast|reduce|gather|scatter|scan|exscan|neighbor))/i, "transfer"],
    [/^MPI_(R?(put|get|get_accumulate|accumulate)(_c)?$|Fetch_and_op|Compare_and_swap)/i, "transfer"],
    [/^MPI_/, "management"],
  ],
  lock: [[/./, "synchronisation"]],
  openmp: [
    [/^(Barrier: [^R]|Runtime: Worker main loop|Task: Task(group|wait))/, "OpenMP idle"],
    [/^Critical: (Acquiring|Releasing)/, "synchronisation"],
    [/^Runtime: (Fork|Init)/, "management"],
    [/./, "computation"],
  ],
  task: [
    [/(wait|hungry|idle|resting|pause|barrier|join|lock)/i, "waiting"],
    [/(running|body)/i, "computation"],
    [/./, "management"],
  ],
};

function meaningOf(label, kind) {
  const found = meaningRules[kind]?.find(([pattern]) => pattern.test(label));
  return meanings.find(({name}) => name === found?.[1]) ?? meanings.at(-1);
}

// Functions of a meaning are shades of its colour. Frequent ones have the first shades, which differ most.
const frequent = ("Init Send Recv Allreduce Waitall Barrier Isend Irecv Wait Bcast Finalize Sendrecv Reduce Alltoall Allgather "
  + "Gather Scatter Init_thread Test Testall Waitany Iprobe Probe Scan Ssend Alltoallv Allgatherv Gatherv Reduce_scatter Put Get "
  + "Win_fence").split(" ").map((name) => `MPI_${name}`);
const shades = [0, 13, -12, 6, -6].flatMap((turn) => [0, -22].flatMap((pale) => [0, 14, -13, 24].map((light) => ({turn, pale, light}))));

function hash(text) {
  let value = 7;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) % 9973;
  return value;
}

function shadeOf(label, meaning, kind) {
  const alike = frequent.filter((name) => meaningOf(name, "mpi") === meaning);
  const place = kind === "mpi" ? alike.indexOf(label) : -1;
  return shades[place >= 0 ? place : alike.length + hash(label) % (shades.length - alike.length)];
}

// Red, green and blue, 0 to 255, of a colour in degrees and percents.
function rgbOf(hue, saturation, light) {
  const part = (at) => {
    const k = (at + hue / 30) % 12, l = light / 100;
    return Math.round(255 * (l - saturation / 100 * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

function colourOfLabel(label, kind, isDark) {
  const meaning = meaningOf(label, kind), shade = shadeOf(label, meaning, kind);
  const within = (value, most) => Math.max(0, Math.min(most, value));
  return `rgb(${rgbOf((meaning.hue + shade.turn + 360) % 360, within(meaning.saturation + shade.pale, 100),
    within((isDark ? meaning.dark : meaning.light) + shade.light, 92)).join(" ")})`;
}

function colourOfMeaning({hue, saturation, light, dark}, isDark) {
  return `rgb(${rgbOf(hue, saturation, isDark ? dark : light).join(" ")})`;
}
