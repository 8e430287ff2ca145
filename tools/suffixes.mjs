/**
 * `npm run suffixes`: writes the domains that are not in the Public Suffix List but have suffixes below them (`on.aws`,
 * where each function has a host), from the list in tldts. A wildcard on such a domain covers hosts of many owners.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./setup/workspace.mjs";

const trie = createRequire(import.meta.url)("tldts/dist/cjs/src/data/trie.js");
export const suffixFile = join(root, "csp/src/hosts/suffix-parents.ts");

/** Returns, for each suffix, its topmost parent that is not a suffix itself. Leaves out top-level domains. */
function suffixParents() {
  const suffixes = suffixesIn(trie);
  const found = new Set();
  for (const suffix of suffixes) {
    const labels = suffix.split(".");
    const fromTop = labels.map((_, index) => labels.slice(index).join(".")).reverse();
    const parent = fromTop.find((name) => !suffixes.has(name));
    if (parent?.includes(".")) found.add(parent);
  }
  return [...found].sort();
}

/** Returns all suffixes. `labelText` has the labels of all edges, one after the other. */
function suffixesIn({ nodeFlags, edgeStart, edgeLength, edgeChild, labelText, rulesRoot }) {
  let offset = 0;
  const labels = [...edgeLength].map((length) => {
    offset += length;
    return labelText.slice(offset - length, offset);
  });
  const found = new Set();
  const walk = (node, parent) => {
    for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge += 1) {
      const name = labels[edge] + parent;
      if (nodeFlags[edgeChild[edge]] !== 0) found.add(name);
      walk(edgeChild[edge], `.${name}`);
    }
  };
  walk(rulesRoot, "");
  return found;
}

/** Returns the text of the file. */
export function suffixText() {
  return `/**
 * Domains below which the Public Suffix List names hosts of many owners, without naming the domain itself. A wildcard on
 * such a domain covers all of these hosts. Written by \`npm run suffixes\`, from the list in tldts.
 */
export const suffixParents: ReadonlySet<string> = new Set(
  \`
${suffixParents()
  .join(" ")
  .replace(/(.{1,109})(?: |$)/g, "  $1\n")}\`
    .trim()
    .split(/\\s+/),
);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(suffixFile, suffixText());
