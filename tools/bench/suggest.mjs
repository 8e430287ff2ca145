import { createRequire } from "node:module";
import { table } from "./table.mjs";

const require = createRequire(import.meta.url);
const policies = ["host", "path", "url", "plain list of hosts", "exact URLs"];

/** Measures how long a suggested policy lasts on `test/csp/corpus`, and what it lets in. Equal on every machine. */
export function suggestBench({ isQuick, progress }) {
  require("../test/transpile.cjs");
  const { generatedSites } = require("../../test/csp/corpus/generated");
  const { writtenSites } = require("../../test/csp/corpus/written");
  const { fateOf, sumOf } = require("../../test/csp/corpus/measure");
  const seeds = Array.from({ length: isQuick ? 2 : 20 }, (_, index) => index + 1);
  const corpora = {
    "written by hand": writtenSites,
    [`generated, seeds 1 to ${seeds.length}`]: seeds.flatMap((seed) => generatedSites(seed)),
  };
  const results = Object.entries(corpora).map(([name, sites]) => ({
    name,
    sites: sites.length,
    figures: policies.map((policy) => {
      progress(`suggest: ${name}, ${policy}`);
      return { policy, ...sumOf(sites.map((site) => fateOf(site, policy))) };
    }),
  }));
  const text = results
    .map(({ name, sites, figures }) => {
      const [{ legitimate, malicious }] = figures;
      const row = (title, value) => [title, ...figures.map(value)];
      return table(
        [`${sites} sites ${name}: ${legitimate} legitimate loads, ${malicious} malicious`, ...policies],
        [
          row("legitimate loads blocked", ({ blockedPercent }) => `${blockedPercent.toFixed(1)} %`),
          row("of these not announced", ({ unannouncedPercent }) => `${unannouncedPercent.toFixed(1)} %`),
          row("malicious let in", ({ letIn }) => String(letIn)),
        ],
      );
    })
    .join("\n\n");
  return { title: "How long a suggestion lasts", results, text };
}
