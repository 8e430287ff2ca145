import assert from "node:assert/strict";
import { readEvents } from "../../command/src/preview/read-events";
import { makeReview } from "../../command/src/review/make-review";
import {
  diagnostic,
  type StepOptions,
  secretInEvent as secret,
  stackStep,
  step,
  summary,
  urnOf,
} from "./support/events";
import { blocking, connections, lettingIn, scripts } from "./support/in-use";
import { useReviewing } from "./support/reviewing";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const zoneB = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const content = { action: "allow", expression: 'http.host eq "shop.example"', value: "script-src 'self'" };
const named = { description: "checkout", ...content };
const rule = { action: "skip", expression: "true", description: "a" };
const managed = { ...rule, action: "execute", description: "m", actionParameters: { id: "f".repeat(32) } };

/** Reviews these steps by the state alone, without reading a zone. */
function reviewSteps(...steps: readonly StepOptions[]) {
  const read = readEvents([stackStep(), ...steps.map(step), summary()]);
  return makeReview(read, undefined, { version: "0", exitCode: 0, root: "/shop" });
}

const gone = (name: string, more: object = {}): StepOptions => ({
  name,
  op: "delete",
  before: { zoneId, ...named, ...more },
  recorded: { zoneId, ...named, ...more, policyId: `id-${name}` },
});
const come = (name: string, more: object = {}): StepOptions => ({
  name,
  op: "create",
  after: { zoneId, ...named, ...more },
});
const idsOf = (policies: object) =>
  Object.fromEntries(Object.keys(policies).map((key) => [key, `id-${key}`]));
function set(
  op: string,
  before: object | undefined,
  after: object | undefined,
  more: object = {},
): StepOptions {
  const side = { zoneId, policies: before, ...more };
  return {
    name: "set",
    kind: "CspPolicySet",
    op,
    ...(before && { before: side, recorded: { ...side, policyIds: idsOf(before) } }),
    ...(after && { after: { zoneId, policies: after, ...more } }),
  };
}
const nothing = "No settings, policies or WAF rules of a zone change";
const renamed = { description: "other" };
const settings = (op: string, enabled: boolean, after?: StepOptions["after"]): StepOptions => ({
  name: `s-${op}`,
  kind: "PageGuardSettings",
  op,
  ...(op === "create"
    ? { after: { zoneId, enabled } }
    : { before: { zoneId, enabled }, ...(after && { after }) }),
});
const third = { ...rule, action: "log", description: "third" };
const recordedRules = (rules: readonly object[]) =>
  rules.map((one, at) => ({ ...one, id: `${at}`, ref: `${at}` }));
const list = (op: string, rules: readonly object[], after?: object, more: object = {}): StepOptions => ({
  name: `w-${op}`,
  kind: "ManagedWafEntrypoint",
  op,
  ...(after && { after: { zoneId, ...after } }),
  ...(op === "create"
    ? { after: { zoneId, rules } }
    : {
        before: { zoneId, rules, ...more },
        recorded: { zoneId, ...more, rules: recordedRules(rules) },
      }),
});
const two = { checkout: content, other: content };
const hidden = { a: { ...content, value: secret }, b: { ...content, value: secret } };
const ofSecrets = { recorded: { zoneId, policies: secret, policyIds: secret } };
const wasOff = { recorded: { zoneId, enabled: true, initial: { enabled: false } } };
const released = { release: ["checkout"] };
const logged = { ...content, action: "log" };
const replaced: StepOptions = { ...gone("a"), op: "replace", after: { zoneId, ...named } };
const off = { ...managed, enabled: false };
const stays = "1 policy to leave unmanaged in the zone";
const recreated = "1 policy to create, 1 policy to delete";
const restored = "the settings of 1 zone to create, the settings of 1 zone to restore";

describe("The counts of changed objects, by the state alone:", () => {
  const rows: Readonly<Record<string, readonly [counts: string, ...steps: readonly StepOptions[]]>> = {
    "a policy that is created": ["1 policy to create", come("a")],
    "a policy that is deleted": ["1 policy to delete", gone("a")],
    "a policy that stays": [stays, gone("a", { onDestroy: "keep" })],
    "a policy with a secret onDestroy": ["1 policy that may be deleted", gone("a", { onDestroy: secret })],
    "a set with secret outputs that is deleted": [
      "2 policies that may be deleted",
      { ...set("delete", two, undefined), ...ofSecrets },
    ],
    "a set with secret outputs that changes": [
      "1 policy to change, 1 policy that may be deleted",
      { ...set("update", two, { checkout: { ...content, value: "script-src 'none'" } }), ...ofSecrets },
    ],
    "an entry point with a secret onDestroy": [
      "1 WAF rule that may be deleted",
      list("delete", [rule], undefined, { onDestroy: secret }),
    ],
    "a policy with retainOnDelete": [stays, { ...gone("a"), retainOnDelete: true }],
    "a policy that moves into a set": [
      "1 policy to adopt",
      gone("a"),
      set("create", undefined, { checkout: content }),
    ],
    "a policy that leaves a set, and an equal one": [
      recreated,
      set("update", two, { other: content }),
      come("a"),
    ],
    "a policy that a set releases and another resource declares": [
      "1 policy to adopt",
      ...[set("update", two, { other: content }, released), come("a")],
    ],
    "a policy that a set releases": [stays, set("update", two, { other: content }, released)],
    "a policy with another name": [recreated, gone("a"), come("b", renamed)],
    "a secret policy": [recreated, gone("a", { value: secret }), come("b", { value: secret })],
    "two, of which one moves": ["1 policy to adopt, 1 policy to delete", gone("a"), gone("b"), come("c")],
    "a renamed key with a description": [nothing, set("update", { a: named }, { b: named })],
    "a renamed key, no description": ["1 policy to change", set("update", { a: content }, { b: content })],
    "a set with a deleted, a new and a changed policy": [
      "1 policy to create, 1 policy to change, 1 policy to delete",
      set(
        "update",
        { a: content, b: content, c: content },
        { a: content, b: { ...content, value: "img-src *" }, d: logged },
      ),
    ],
    "another spelling": [
      nothing,
      set("update", { a: content }, { a: { ...content, value: " script-src 'self';" } }),
    ],
    "a set with a changed secret": [
      "1 policy to change",
      { ...set("update", hidden, hidden), diff: { "policies.a.value": "update" } },
    ],
    "a policy that is replaced by an equal one": [recreated, { ...replaced, diff: { lint: "update" } }],
    "a policy that is replaced without a changed input": ["1 policy to adopt", replaced],
    "an entry point with changed rules": [
      "2 WAF rules to change",
      list("update", [rule, managed], { rules: [off, { ...rule, description: "new", expression: "false" }] }),
    ],
    "an entry point that is deleted": [
      "1 WAF rule to delete",
      list("delete", [rule], undefined, { onDestroy: "remove" }),
    ],
    "a switch": ["the settings of 1 zone to change", settings("update", true, { zoneId, enabled: false })],
    "settings of a renamed resource": [
      "the settings of 1 zone to adopt",
      ...[settings("delete", true), settings("create", true)],
    ],
    "a policy that moves to an unknown zone": [
      recreated,
      { ...gone("a"), op: "update", after: { zoneId: unknown, ...named } },
    ],
    "an entry point that moves to a zone that is not known yet": [
      "1 WAF rule to create, 1 WAF rule to delete",
      list("update", [rule], { zoneId: unknown, rules: [rule] }, { onDestroy: "remove" }),
    ],
    "settings that move to a zone that is not known yet": [
      restored,
      { ...settings("replace", true, { zoneId: unknown, enabled: true }), ...wasOff },
    ],
    "settings that move to another zone": [
      restored,
      { ...settings("replace", true, { zoneId: zoneB, enabled: true }), ...wasOff },
    ],
    "an entry point of a renamed resource, with another list": [
      "1 WAF rule to adopt, 2 WAF rules to create, 1 WAF rule to restore",
      ...[
        list("delete", [rule, managed]),
        list("create", [managed, { ...rule, expression: "false" }, third]),
      ],
    ],
    "an entry point that is replaced in its zone": [
      "1 WAF rule to delete",
      { ...list("replace", [rule, managed], { rules: [managed] }), diff: { rules: "update" } },
    ],
    "an entry point with another list that --replace recreates": [
      "1 WAF rule to create, 1 WAF rule to leave unmanaged in the zone",
      list("replace", [rule], { rules: [managed] }, { onDestroy: "keep" }),
    ],
    "settings without an earlier switch that --replace recreates": [
      "the settings of 1 zone to adopt",
      {
        ...settings("replace", true, { zoneId, enabled: true }),
        recorded: {
          zoneId,
          enabled: true,
          useConnectionUrlPath: true,
          initial: { useConnectionUrlPath: false },
        },
      },
    ],
  };
  for (const [what, [counts, ...steps]] of Object.entries(rows)) {
    it(what, () => {
      const sorted = (text: string): string[] =>
        text
          .replace(/(, in \d zones)?\.$/, "")
          .toLowerCase()
          .split(", ")
          .sort();
      assert.deepEqual(sorted(reviewSteps(...steps).headline), sorted(`${counts}.`));
    });
  }
});

describe("Weaker protection", () => {
  const update = (before: object, after: object): StepOptions => ({
    name: "p",
    op: "update",
    before: { zoneId, ...named, ...before },
    recorded: { zoneId, ...named, ...before, policyId: "id" },
    after: { zoneId, ...named, ...after },
    diff: Object.fromEntries(Object.keys(after).map((key) => [key, "update"])),
  });
  const entrypoint = (before: object, after?: object): StepOptions =>
    list("update", [{ ...managed, ...before }], { rules: after ? [{ ...managed, ...after }] : [] });
  const wide = { value: "script-src 'self' https://wide.example" };
  const overrides = { actionParameters: { id: "f".repeat(32), overrides: { enabled: false } } };
  const rows: readonly (readonly [step: StepOptions, weaker: string | undefined])[] = [
    [update({}, { action: "log" }), "no longer enforced"],
    [update({}, { enabled: false }), "no longer enforced"],
    [update({}, { action: unknown }), "may no longer be enforced"],
    [update({}, wide), "may allow more"],
    [update(wide, {}), undefined],
    [update({}, { value: unknown }), "may allow more"],
    [
      update({ action: "log", impact: "off" }, { action: secret, impact: "off" }),
      "may begin to enforce, impact not checked",
    ],
    [update({}, { value: secret }), "may allow more"],
    [update({}, { expression: 'http.host eq "other.example"' }), "for other requests"],
    [update({}, { ...wide, expression: "true" }), "for other requests, may allow more"],
    [update({}, { description: "other" }), undefined],
    [update({ action: "log" }, wide), undefined],
    [update({ action: "log" }, {}), undefined],
    [gone("p"), "no longer enforced"],
    [{ ...gone("p"), op: "update", after: { zoneId: unknown, ...named } }, "no longer enforced"],
    [gone("p", { onDestroy: secret }), "perhaps no longer enforced"],
    [gone("p", { action: "log" }), undefined],
    [entrypoint({}), "no longer enforced"],
    [entrypoint({}, { enabled: false }), "switched off"],
    [entrypoint({}, overrides), "different overrides"],
    [entrypoint({}, { expression: "false" }), "different expression"],
    [entrypoint({}, { description: "other" }), undefined],
    [entrypoint({ enabled: false }, {}), undefined],
    [{ ...entrypoint({}, {}), after: { zoneId, rules: [rule, managed] } }, "a new rule that skips"],
    [list("update", [managed, rule], { rules: [rule, managed] }), 'will run before "m"'],
    [list("update", [rule, managed], { rules: [managed, rule] }), 'will run before "a"'],
    [settings("update", true, { zoneId, enabled: false }), "monitoring switched off"],
    [{ ...settings("delete", true), recorded: { zoneId, initial: { enabled: true } } }, undefined],
    [settings("update", true, { zoneId, enabled: secret }), "perhaps monitoring switched off"],
    [{ ...settings("delete", true), ...wasOff }, "monitoring switched off"],
  ];
  it("includes the new order of rules that change places", () => {
    const steps = list("update", [managed, rule], { rules: [{ ...rule, expression: "false" }, managed] });
    const [order] = reviewSteps(steps).parts.flatMap(({ entries }) =>
      entries.flatMap(({ differences = [] }) => differences.filter(({ path }) => path === "order of rules")),
    );
    assert.deepEqual(order, { path: "order of rules", before: '"m", "a"', after: '"a", "m"' });
  });

  for (const [index, [one, weaker]] of rows.entries()) {
    it(`is found in step ${index + 1}, ${one.op} of ${one.kind ?? "CspPolicy"}: ${weaker ?? "none"}`, () => {
      const found = reviewSteps(one).zones.flatMap(({ grave }) =>
        grave.map((text) => text.replace(/^\w+: /, "")),
      );
      assert.deepEqual(found, weaker === undefined ? [] : [weaker]);
    });
  }
});

describe("page-guard review of zones", () => {
  const review = useReviewing();
  const setUrn = urnOf("set", "CspPolicySet");
  const exact = step(set("create", undefined, {}, { others: "delete" }));

  it("shows a lint finding about several policies once, whatever their keys", async () => {
    const lint = (key: string) =>
      diagnostic(
        "warning",
        `policies.${key}.value: no object-src. (medium) [csp-lint-no-object-src]`,
        setUrn,
      );
    const told = ["a", "b", "c"].map((key) => ({
      code: "csp-lint-no-object-src",
      severity: "warning",
      urn: setUrn,
      zone: zoneId,
      property: `policies.${key}.value`,
      text: "no object-src. (medium)",
    }));
    const out = await review.of([exact, ...["a", "b", "c"].map(lint)], told);
    assert.equal(out.match(/no object-src/g)?.length, 1);
    assert.match(out, /\*\*CspPolicySet set\.a\.value, set\.b\.value, set\.c\.value\*\*/);
  });

  it("counts the items that visitors would lose, and malicious ones separately, and shows the message of equal zones once", async () => {
    const zones = [zoneId, zoneB];
    const urls = ["a", "b"].map((name) => ({ url: `https://pay.example/${name}.js` }));
    const items = scripts(...urls, { url: "https://bad.example/x.js", jsIntegrityScore: 1 });
    const { code, text, data } = await blocking("script-src 'self'", items);
    const said = zones.map((_, at) => diagnostic("warning", `${text} [${code}]`, urnOf(`p${at}`)));
    const out = await review.of(
      [...said, ...zones.map((zone, at) => step(come(`p${at}`, { zoneId: zone })))],
      zones.map((_, at) => ({ code, severity: "warning", urn: urnOf(`p${at}`), property: "", text, data })),
      ...["--markdown", "-", "--out", "."],
    );
    assert.match(out, /Visitors would lose scripts and connections in use \(4 scripts\), in 2 zones/);
    assert.match(
      out,
      /\| `a0a1\w+`, `b0b1\w+` \| visitors lose scripts and connections \(2 scripts\) \| 1 policy created, 1 begins to enforce, 1 malicious item kept out \|/,
    );
    assert.equal(out.match(/pay\.example: breaks 2 scripts/g)?.length, 1);
    assert.match(out, /\*\*CspPolicy p0, p1\*\*.*pay\.example: breaks/);
    assert.match(review.read("review.html"), /pay\.example/);
    const { impact } = JSON.parse(review.read("review.json"));
    assert.deepEqual(impact, { scripts: 4, connections: 0, isUnknown: false });
  });

  it("reports malicious items that a policy allows in the headline, by zone and in a separate group", async () => {
    const bad = { urlReportedMalicious: true };
    const skimmer = scripts({ url: "https://cdn.example/x.js", ...bad });
    const beacon = connections({ url: "wss://cdn.example/x", ...bad });
    const both = [...skimmer, ...beacon];
    const said = [await lettingIn("script-src *", skimmer), await lettingIn("default-src *", both)];
    const out = await review.of(
      [
        ...said.map(({ text, code }, at) => diagnostic("warning", `${text} [${code}]`, urnOf(`p${at}`))),
        ...[zoneId, zoneB].map((zone, at) => step(come(`p${at}`, { zoneId: zone }))),
      ],
      said.map((one, at) => ({ ...one, severity: "warning", property: "", urn: urnOf(`p${at}`) })),
    );
    assert.match(
      out,
      /\*\*Policies let in 2 malicious scripts and 1 malicious connection, in 2 zones\.\*\*$/m,
    );
    assert.match(out, /\| `b0b1\w+` \| lets in 1 malicious script<br>lets in 1 malicious connection \|/);
    assert.match(
      out,
      /### Malicious items that are let in \(2\)\n[^#]*\*\*CspPolicy p0\*\*.*lets in 1 script/,
    );
    assert.doesNotMatch(out, /What else visitors/);
  });

  it("does not count items that the zone already blocks as lost", async () => {
    const text =
      "the zone enforces this policy already, so nothing changes for visitors. It would block 1 of 2 scripts:\n  a.example: 1 script";
    const said = diagnostic("warning", `${text} [csp-blocks-already]`, urnOf("a"));
    const out = await review.of([step(come("a")), said]);
    assert.doesNotMatch(out, /would lose|visitors lose|What else visitors/);
    assert.match(out, /<summary>Other messages \(1\)[\s\S]*enforces this policy already/);
  });
});
