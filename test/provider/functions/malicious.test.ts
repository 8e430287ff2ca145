import assert from "node:assert/strict";
import type { Script } from "../../../provider/src/api/client-types";
import { isMalicious, maliciousCategories } from "../../../provider/src/functions/reads";

const script = { id: "a", url: "https://x.example/a.js" };

describe("isMalicious", () => {
  const nothing = { domainReportedMalicious: false, urlReportedMalicious: false };
  const rows: [string, Partial<Script>, number | undefined, boolean | undefined][] = [
    ["a low score", { jsIntegrityScore: 49 }, undefined, true],
    ["the threshold itself", { jsIntegrityScore: 50 }, undefined, false],
    ["a high score", { jsIntegrityScore: 99 }, undefined, false],
    ["a score above a lower threshold", { jsIntegrityScore: 49 }, 10, false],
    ["a score below a lower threshold", { jsIntegrityScore: 9 }, 10, true],
    ["a score that no threshold was parsed for", { jsIntegrityScore: 99 }, Number("x"), true],
    ["no score", {}, undefined, undefined],
    ["no score, nothing reported", nothing, undefined, undefined],
    ["a reported domain", { domainReportedMalicious: true, jsIntegrityScore: 99 }, undefined, true],
    ["a reported URL without a score", { urlReportedMalicious: true }, undefined, true],
  ];
  for (const [name, part, threshold, expected] of rows) {
    it(`${name}: ${expected ?? "unknown"}`, () => {
      const options = threshold === undefined ? {} : { threshold };
      assert.equal(isMalicious({ ...script, ...part }, options), expected);
    });
  }
});

describe("maliciousCategories", () => {
  it("merges both lists, each category once, in a stable order", () => {
    const categories = maliciousCategories({
      ...script,
      maliciousDomainCategories: ["Phishing", "Malware"],
      maliciousUrlCategories: ["Malware", "Cryptomining"],
    });
    assert.deepEqual(categories, ["Cryptomining", "Malware", "Phishing"]);
    assert.deepEqual(maliciousCategories(script), []);
  });
});
