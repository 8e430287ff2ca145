import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const notChosen = "not in the sample";

/**
 * Takes one mutant in `count`, always the same ones of the same sources: for a score and a list of survivors in minutes
 * instead of hours. Stryker has no such option, and its ranges of lines would favour small mutants, so the place where
 * it gathers them is told to leave the rest out.
 */
export async function sampleOneIn(count) {
  const core = createRequire(import.meta.url).resolve("@stryker-mutator/core");
  const entry = createRequire(core).resolve("@stryker-mutator/instrumenter");
  const collector = join(entry, "..", "transformers", "mutant-collector.js");
  const { MutantCollector } = await import(pathToFileURL(collector).href);
  const { collect } = MutantCollector.prototype;
  MutantCollector.prototype.collect = function (...args) {
    const mutant = collect.apply(this, args);
    const { fileName, mutatorName, original, replacementCode } = mutant;
    const { line, column } = original.loc.start;
    const name = [fileName.split("/src/").at(-1), line, column, mutatorName, replacementCode].join(" ");
    const draw = createHash("sha256").update(name).digest().readUInt32BE(0);
    if (draw % count !== 0) mutant.ignoreReason ??= notChosen;
    return mutant;
  };
}

export function isInSample({ statusReason }) {
  return statusReason !== notChosen;
}
