import assert from "node:assert/strict";
import { generatedSites } from "./corpus/generated";
import { measureSite, sumOf } from "./corpus/measure";
import { writtenSites } from "./corpus/written";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Two sets of sites with nothing in common, so that no rule fits only one of them. */
const corpora = {
  "written by hand": writtenSites,
  [`generated with SEED=${seed}`]: generatedSites(seed, 24),
};

describe("a policy that is suggested after two weeks, in the next eight weeks", () => {
  for (const [name, sites] of Object.entries(corpora))
    for (const [granularity, most] of Object.entries({ host: 6, path: 7 } as const))
      it(`given sites ${name} and granularity ${granularity}, then it blocks few legitimate loads, warns of them, and lets nothing malicious in`, () => {
        const outcomes = sites.map((site) => measureSite(site, granularity === "host" ? "host" : "path"));
        const { blockedPercent, unannouncedPercent, letIn } = sumOf(outcomes);
        // These limits have a margin, because each set of sites differs. `npm run bench -- --only suggest` measures many sets.
        assert.ok(blockedPercent <= most, `${blockedPercent} % blocked`);
        assert.ok(unannouncedPercent <= 1, `${unannouncedPercent} % unannounced`);
        assert.equal(letIn, 0);
      });

  it("given granularity url, then it blocks more legitimate loads than with host", () => {
    const of = (granularity: "host" | "url") =>
      sumOf(writtenSites.map((site) => measureSite(site, granularity)));
    assert.ok(of("url").blockedPercent > of("host").blockedPercent);
  });
});
