/**
 * Part of `npm run lint`: finds two things for which Biome has no rule. In a spread object literal, the formatter allows
 * several members on one line. A doc comment that begins with a pointing word, or a question word, does not stand alone.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup/workspace.mjs";

const packed = /^\s*\.\.\.\(?\{ .*,.*\}\)?,?$/gm;
const pointing =
  /\/\*\*\s+(?:\* )?(?:Of|As|By|Its?|Th[eo]se|This|The same|Also|What|Wh(?:o|om|ose)|Which|Where|There)\b.*/g;

const listing = execFileSync("git", ["ls-files", "*.ts", "*.mjs"], { cwd: root, encoding: "utf8" });
const texts = listing.match(/.+/g).map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

report("Write each member on a line of its own", packed);
const count = report("Begin the doc comment with what the thing is or does", pointing);
process.stdout.write(`Doc comments that begin with a pointing word: ${count}\n`);

/** Prints the places that match a pattern, with the advice. Returns their number. */
function report(advice, pattern) {
  const places = texts.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line}: ${found.trim().replace(/\s+/g, " ")}`;
    }),
  );
  if (places.length > 0) {
    process.stdout.write(`${advice}:\n${places.join("\n")}\n`);
    process.exitCode = 1;
  }
  return places.length;
}
