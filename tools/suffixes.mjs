/**
 * `npm run suffixes`: writes the domains that are not in the Public Suffix List but have suffixes below them (`on.aws`,
 * where each function has a host), from the list in tldts. A wildcard on such a domain covers hosts of many owners.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
export const suffixFile = join(dirname(fileURLToPath(import.meta.url)), "../csp/src/lint/suffix-parents.ts");

/** Returns the names of the registrable ones among these domains. */
export function suffixParents() {
  const {
    nodeFlags,
    edgeStart,
    edgeLength,
    edgeChild,
    labelText,
    rulesRoot,
  } = require("tldts/dist/cjs/src/data/trie.js");
  const starts = [];
  let offset = 0;
  for (const length of edgeLength) {
    starts.push(offset);
    offset += length;
  }
  const found = new Set();
  /** Returns whether there is a suffix below the node. `isTop`: its name and all names above are suffixes. */
  const walk = (node, name, isTop) => {
    let hasSuffix = false;
    for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge += 1) {
      const label = labelText.slice(starts[edge], starts[edge] + edgeLength[edge]);
      const child = edgeChild[edge];
      const isSuffix = nodeFlags[child] !== 0;
      const whole = name === "" ? label : `${label}.${name}`;
      const isBelow = walk(child, whole, isTop && isSuffix);
      if (isBelow && !isSuffix && isTop && name !== "") found.add(whole);
      hasSuffix ||= isBelow || isSuffix;
    }
    return hasSuffix;
  };
  walk(rulesRoot, "", true);
  return [...found].filter((name) => !name.includes("*")).sort();
}

/** Returns the text of the file, with lines of at most 110 characters. */
export function suffixText() {
  const lines = [""];
  for (const name of suffixParents()) {
    if (`${lines.at(-1)} ${name}`.length > 110) lines.push("");
    lines[lines.length - 1] += ` ${name}`;
  }
  const text = lines.map((line) => ` ${line}`).join("\n");
  return `/**
 * Domains below which the Public Suffix List names hosts of many owners, without naming the domain itself: a wildcard on
 * one covers them all. Written by \`npm run suffixes\`, from the list that tldts has.
 */
export const suffixParents: ReadonlySet<string> = new Set(
  \`
${text}
\`
    .trim()
    .split(/\\s+/),
);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(suffixFile, suffixText());
