import { createRequire } from "node:module";
import { say } from "../setup/say.mjs";
import { table } from "./table.mjs";

const require = createRequire(import.meta.url);
const policies = ["host", "path", "url", "plain list of hosts", "exact URLs"];

/** Measures how long suggested policies last on `test/csp/corpus`, and what they let in. All machines get the same figures. */
export function suggestBench() {
  require("../test/transpile.cjs");
  const { generatedSites } = require("../../test/csp/corpus/generated");
  const { writtenSites } = require("../../test/csp/corpus/written");
  const { measureSite, sumOf } = require("../../test/csp/corpus/measure");
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
  const corpora = {
    "written by hand": writtenSites,
    [`generated, seeds 1 to ${seeds.length}`]: seeds.flatMap((seed) => generatedSites(seed)),
  };
  const texts = Object.entries(corpora).map(([name, sites]) => {
    const figures = policies.map((policy) => {
      say(`${name}, ${policy}`);
      return sumOf(sites.map((site) => measureSite(site, policy)));
    });
    const [{ legitimate, malicious }] = figures;
    const title = `${sites.length} sites ${name}: ${legitimate} legitimate loads, ${malicious} malicious`;
    const percent = (field) => figures.map((figure) => `${figure[field].toFixed(1)} %`);
    return table(
      [title, ...policies],
      [
        ["legitimate loads blocked", ...percent("blockedPercent")],
        ["of these not announced", ...percent("unannouncedPercent")],
        ["malicious let in", ...figures.map(({ letIn }) => letIn)],
      ],
    );
  });
  return { title: "How long a suggestion lasts", text: texts.join("\n\n") };
}
