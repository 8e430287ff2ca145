import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the time of a run went, in lines for its end: the slowest stories, and the shares of what they waited for. */
export function summary({ took, spent, wallMs, cpuMs }) {
  const total = sum(took.map(({ ms }) => ms));
  if (total < 20_000) return [];
  const slowest = [...took].sort((a, b) => b.ms - a.ms).slice(0, 10);
  const cpu = cpuMs === undefined ? "" : ` and ${seconds(cpuMs)} of processor time`;
  return [
    "The ten slowest:",
    ...slowest.map(({ title, ms }) => `${seconds(ms).padStart(8)}  ${title}`),
    "",
    `Of ${seconds(total)} in tests, ${sharesOf(spent, total).join(", ")}.`,
    `In all it took ${seconds(wallMs)}${cpu}.`,
    "",
  ];
}

const words = {
  engine: (count, ms) => `${count} runs of the engine (${seconds(ms / count, 1)} each)`,
  npm: (count) => `${count} npm and pnpm installs`,
  TypeScript: (count) => `TypeScript (${count} times)`,
  waiting: () => "waiting",
};

function sharesOf(spent, total) {
  const shares = Object.entries(words).flatMap(([what, inWords]) => {
    const { count = 0, ms = 0 } = spent[what] ?? {};
    return count === 0 ? [] : [`${Math.round((100 * ms) / total)} % ${inWords(count, ms)}`];
  });
  return shares.length === 0 ? ["all of it in this process"] : shares;
}

/** Two runs of mocha, of other files each, as one. */
export function together(first, second) {
  const added = (key) => (first[key] === undefined ? undefined : first[key] + second[key]);
  const listed = (key) => [...first[key], ...second[key]];
  const spent = { ...first.spent };
  for (const [what, { count, ms }] of Object.entries(second.spent)) {
    const before = spent[what] ?? { count: 0, ms: 0 };
    spent[what] = { count: before.count + count, ms: before.ms + ms };
  }
  return {
    passed: added("passed"),
    failed: added("failed"),
    wallMs: added("wallMs"),
    cpuMs: added("cpuMs"),
    failures: listed("failures"),
    skipped: listed("skipped"),
    took: listed("took"),
    problems: listed("problems"),
    spent,
  };
}

/** What the workers have noted in `folder`, as `engine 2300` on a line: how often and how long, of each kind. */
export function readSpent(folder) {
  const spent = {};
  if (!existsSync(folder)) return spent;
  for (const name of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, name), "utf8").trim().split("\n")) {
      const [what, ms] = line.split(" ");
      spent[what] ??= { count: 0, ms: 0 };
      spent[what].count += 1;
      spent[what].ms += Number(ms);
    }
  }
  return spent;
}

/** Processor time of all processes that this one has started and seen the end of; undefined where Linux does not tell. */
export function cpuOfChildren() {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // Fields 16 and 17 of proc(5), in hundredths of a second.
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return undefined;
  }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function seconds(ms, digits = 0) {
  return `${(ms / 1000).toFixed(digits)} s`;
}
