import assert from "node:assert/strict";
import type { Policy } from "../../provider/src/api/client-types";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { impactFindings } from "../../provider/src/policies/impact";
import { asDeclared } from "../../provider/src/policies/live-policy";
import { unseenFinding } from "../../provider/src/policies/unseen";
import { mayBe } from "../../provider/src/resources/csp-policy-set/partly-known";

const live: Policy = {
  policyId: "p",
  description: "shop",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  enabled: true,
  value: "script-src 'self'; img-src 'self'",
};

describe("Whether a policy of the zone may be one of which not all is known", () => {
  const rows: readonly [string, object, boolean][] = [
    ["all is unknown", { description: unknownValue, action: unknownValue, value: unknownValue }, true],
    ["what is known is so", { description: "shop", action: "log", value: unknownValue }, true],
    ["another name", { description: "blog", value: unknownValue }, false],
    ["another action", { action: "allow", value: unknownValue }, false],
    ["another expression", { expression: "true", value: unknownValue }, false],
    [
      "the same expression, spelled otherwise",
      { expression: 'http.host   eq  "shop.example.com"', value: unknownValue },
      true,
    ],
    ["switched off here", { enabled: false, value: unknownValue }, false],
    ["switched on by default", { value: unknownValue }, true],
    ["nobody knows whether it is switched on", { enabled: unknownValue }, true],
    ["another text", { description: unknownValue, value: "script-src 'none'" }, false],
    [
      "the same text in another order",
      { description: unknownValue, value: "img-src 'self'; script-src 'self'" },
      true,
    ],
    ["the same as directives", { directives: { "img-src": ["'self'"], "script-src": ["'self'"] } }, true],
    ["other directives", { directives: { "img-src": ["'none'"] } }, false],
  ];
  for (const [what, entry, expected] of rows) {
    it(`${what}: ${expected}`, () => assert.equal(mayBe({ key: "a", entry: { ...entry } }, live), expected));
  }

  it("one that is switched off may be one that is declared so", () => {
    const off = { ...live, enabled: false };
    assert.equal(mayBe({ key: "a", entry: { enabled: false } }, off), true);
    assert.equal(mayBe({ key: "a", entry: {} }, off), false);
  });
});

describe("What allow policies restrict and nobody can look at", () => {
  const message = (...policies: Parameters<typeof unseenFinding>[1]) =>
    unseenFinding("warn", policies).map((finding) => finding.message)[0];

  it("is nothing where the text is not known, restricts nothing of that, or is not to be judged", () => {
    assert.equal(message({ text: undefined }), undefined);
    assert.equal(message({ text: 7 }), undefined);
    assert.equal(message({ text: "connect-src 'self'" }), undefined);
    assert.equal(message(), undefined);
    assert.deepEqual(unseenFinding("off", [{ text: "img-src 'self'" }]), []);
  });

  it("is told in one line, with the names of those that have one", () => {
    assert.match(
      message({ text: "img-src 'self'" }) ?? "",
      /^with action "allow" this policy also restricts images\. /,
    );
    assert.match(message({ text: "img-src a; font-src a" }) ?? "", /restricts images and fonts\. /);
    assert.match(
      message({ text: "img-src a; font-src a; media-src a" }) ?? "",
      /restricts images, fonts and audio/,
    );
    assert.match(
      message({ text: "img-src a", name: "shop" }) ?? "",
      /the policy shop also restricts images\. /,
    );
    assert.match(
      message(
        { text: "img-src a", name: "shop" },
        { text: undefined, name: "x" },
        { text: "font-src a", name: "b" },
      ) ?? "",
      /the policies shop, b also restrict images and fonts\. /,
    );
  });
});

describe("A live policy in the words of the record", () => {
  const recorded = { description: "shop", action: "log" as const, expression: live.expression };

  it("keeps a spelling that means the same, and shows what does not", () => {
    assert.deepEqual(asDeclared(recorded, "img-src 'self'; script-src 'self'", live), {
      ...recorded,
      enabled: undefined,
      value: "img-src 'self'; script-src 'self'",
    });
    const drifted = asDeclared({ ...recorded, expression: "true" }, "img-src 'none'", live);
    assert.deepEqual([drifted.expression, drifted.value], [live.expression, live.value]);
    assert.equal(asDeclared({ ...recorded, expression: undefined }, "", live).expression, live.expression);
    const named = (description: string | undefined) =>
      asDeclared({ ...recorded, description }, "", live).description;
    assert.deepEqual([named(" shop\n"), named("blog"), named(undefined)], [" shop\n", "shop", "shop"]);
  });

  it("shows whether it is switched on where the record speaks of it, or it is off", () => {
    const of = (enabled: boolean | undefined, now: boolean) =>
      asDeclared({ ...recorded, enabled }, live.value, { ...live, enabled: now }).enabled;
    assert.deepEqual(
      [of(undefined, true), of(undefined, false), of(true, true), of(false, true)],
      [undefined, false, true, true],
    );
  });

  it("speaks in directives where the record does, as far as they can say what is there", () => {
    const directives = { "script-src": ["'self'"], "img-src": ["'self'"] };
    const of = (value: string) => {
      const { value: text, directives: words } = asDeclared({ ...recorded, directives }, live.value, {
        ...live,
        value,
      });
      return { text, words };
    };
    assert.deepEqual(of(live.value), { text: undefined, words: directives });
    assert.deepEqual(of("img-src 'none'"), { text: undefined, words: { "img-src": ["'none'"] } });
    // The second of two is lost in directives.
    assert.deepEqual(of("img-src 'none'; img-src a"), {
      text: "img-src 'none'; img-src a",
      words: undefined,
    });
  });
});

describe("What a policy would block", () => {
  it("is not looked for where it is not to be judged, or not known", async () => {
    const run = createRun({
      env: {},
      createClient: () => assert.fail("nothing is to be asked"),
    });
    const now = { zoneId: "z", expression: "true", impact: "warn" };
    const rows: readonly [object, unknown][] = [
      [{ ...now, impact: "off" }, "script-src 'none'"],
      [now, undefined],
      [now, 7],
      [{ ...now, expression: undefined }, "script-src 'none'"],
      [{ ...now, expression: 7 }, "script-src 'none'"],
      [{ ...now, zoneId: unknownValue }, "script-src 'none'"],
      [{ ...now, connection: { baseUrl: unknownValue } }, "script-src 'none'"],
    ];
    for (const [inputs, text] of rows) assert.deepEqual(await impactFindings(run, { ...inputs }, text), []);
  });
});

describe("What a run takes from its environment", () => {
  it("is the approved file and the place of its digests, without white space; empty they are no place, but an approved file that is missing", () => {
    const of = (env: NodeJS.ProcessEnv) => {
      const { approval } = createRun({ env });
      return [approval?.approved, approval?.digests];
    };
    const both = (text: string) => ({ PAGE_GUARD_APPROVED: text, PAGE_GUARD_APPROVAL_DIGESTS: text });
    assert.deepEqual(of({}), [undefined, undefined]);
    assert.deepEqual(of(both("")), ["", undefined]);
    assert.deepEqual(of(both("  ")), ["", undefined]);
    assert.deepEqual(of(both(" a.json ")), ["a.json", "a.json"]);
  });

  it("is whether checkpoints are skipped, and whether the service may be asked", () => {
    assert.equal(createRun({ env: {} }).skipsCheckpoints, false);
    assert.equal(createRun({ env: { PULUMI_SKIP_CHECKPOINTS: "true" } }).skipsCheckpoints, true);
    assert.equal(createRun({ env: {} }).isOffline, false);
    assert.equal(createRun({ env: { PAGE_GUARD_OFFLINE: "1" } }).isOffline, true);
  });
});
