import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEvents } from "../../command/src/preview/read-events";
import { reviewOf } from "../../command/src/review/review-of";
import { pageGuard } from "./support/console";
import {
  diagnostic,
  type StepOptions,
  secretInEvent,
  stackStep,
  step,
  summary,
  urnOf,
} from "./support/events";
import { blocking, connections, lettingIn, scripts } from "./support/in-use";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const zoneB = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const content = { action: "allow", expression: 'http.host eq "shop.example"', value: "script-src 'self'" };
const named = { description: "checkout", ...content };
const rule = { action: "skip", expression: "true", description: "a" };
const managed = {
  action: "execute",
  expression: "true",
  description: "m",
  actionParameters: { id: "f".repeat(32) },
};

/** What the review says of these steps by the state alone: no zone was read. */
function reviewed(...steps: readonly StepOptions[]) {
  const read = readEvents([stackStep(), ...steps.map(step), summary()]);
  return reviewOf(read, undefined, { version: "0", exitCode: 0, root: "/shop" });
}

const gone = (name: string, more: object = {}): StepOptions => ({
  ...{ name, op: "delete", before: { zoneId, ...named, ...more } },
  recorded: { zoneId, ...named, ...more, policyId: `id-${name}` },
});
const come = (name: string, more: object = {}): StepOptions => ({
  ...{ name, op: "create", after: { zoneId, ...named, ...more } },
});
const set = (
  op: string,
  before: object | undefined,
  after: object | undefined,
  more: object = {},
): StepOptions => ({
  ...{ name: "set", kind: "CspPolicySet", op },
  ...(before && { before: { zoneId, policies: before, ...more } }),
  ...(before && {
    recorded: {
      ...{ zoneId, policies: before, ...more },
      policyIds: Object.fromEntries(Object.keys(before).map((key) => [key, `id-${key}`])),
    },
  }),
  ...(after && { after: { zoneId, policies: after, ...more } }),
});

const nothing = "Nothing of this stack changes in its zones";

const settings = (op: string, name: string, values: object): StepOptions => ({
  ...{ name, kind: "PageGuardSettings", op },
  ...(op === "create" ? { after: { zoneId, ...values } } : { before: { zoneId, ...values } }),
});
const third = { ...rule, action: "log", description: "third" };
const list = (op: string, name: string, rules: readonly object[], more: object = {}): StepOptions => ({
  ...{ name, kind: "ManagedWafEntrypoint", op },
  ...(op === "create"
    ? { after: { zoneId, rules, ...more } }
    : {
        before: { zoneId, rules, ...more },
        recorded: { zoneId, ...more, rules: rules.map((one, at) => ({ ...one, id: `${at}`, ref: `${at}` })) },
      }),
});

describe("What happens to objects of zones, by the state alone", () => {
  const rows: readonly (readonly [what: string, steps: readonly StepOptions[], counts: string])[] = [
    ["a policy that is created", [come("a")], "1 policy to create"],
    ["one that is deleted", [gone("a")], "1 policy to delete"],
    ["one that is left", [gone("a", { onDestroy: "keep" })], "1 policy to leave in the zone, unmanaged"],
    [
      "one that the engine drops",
      [{ ...gone("a"), retainOnDelete: true }],
      "1 policy to leave in the zone, unmanaged",
    ],
    [
      "one that moves into a set, in other words",
      [
        gone("a"),
        set("create", undefined, { checkout: { ...content, expression: '(http.host  eq "shop.example")' } }),
      ],
      "1 policy to delete, 1 policy to create",
    ],
    [
      "one that moves into a set under its name",
      [gone("a"), set("create", undefined, { checkout: content })],
      "1 policy to adopt",
    ],
    [
      "one that leaves a set, and a new one that says the same",
      [set("update", { checkout: content, other: content }, { other: content }), come("a")],
      "1 policy to create, 1 policy to delete",
    ],
    [
      "one that a set releases, and that is declared elsewhere",
      [
        set("update", { checkout: content, other: content }, { other: content }, { release: ["checkout"] }),
        come("a"),
      ],
      "1 policy to adopt",
    ],
    [
      "one that a set releases",
      [set("update", { a: content, b: content }, { b: content }, { release: ["a"] })],
      "1 policy to leave in the zone, unmanaged",
    ],
    [
      "one that another zone gets",
      [gone("a"), come("b", { zoneId: zoneB })],
      "1 policy to create, 1 policy to delete",
    ],
    [
      "one under another name",
      [gone("a"), come("b", { description: "other" })],
      "1 policy to create, 1 policy to delete",
    ],
    [
      "one that is secret",
      [gone("a", { value: secretInEvent }), come("b", { value: secretInEvent })],
      "1 policy to create, 1 policy to delete",
    ],
    ["two of which one moves", [gone("a"), gone("b"), come("c")], "1 policy to adopt, 1 policy to delete"],
    ["a key with another name", [set("update", { a: { ...named } }, { b: { ...named } })], nothing],
    ["a key that is the description", [set("update", { a: content }, { b: content })], "1 policy to change"],
    [
      "a set of which one goes, one comes and one changes",
      [
        set(
          "update",
          { a: content, b: content, c: content },
          { a: content, b: { ...content, value: "script-src 'none'" }, d: { ...content, action: "log" } },
        ),
      ],
      "1 policy to create, 1 policy to change, 1 policy to delete",
    ],
    [
      "a change of spelling",
      [set("update", { a: content }, { a: { ...content, value: " script-src   'self';" } })],
      nothing,
    ],
    [
      "a secret of a set that changes, and one that does not",
      [
        {
          ...set(
            "update",
            { a: { ...content, value: secretInEvent }, b: { ...content, value: secretInEvent } },
            { a: { ...content, value: secretInEvent }, b: { ...content, value: secretInEvent } },
          ),
          diff: { "policies.a.value": "update" },
        },
      ],
      "1 policy to change",
    ],
    [
      "a policy that only its lint changes of",
      [{ ...gone("a"), op: "update", after: { zoneId, ...named, lint: "off" }, diff: { lint: "add" } }],
      nothing,
    ],
    [
      "one that is replaced by an equal one",
      [{ ...gone("a"), op: "replace", after: { zoneId, ...named } }],
      "1 policy to create, 1 policy to delete",
    ],
    [
      "an entry point",
      [
        {
          ...{ name: "w", kind: "ManagedWafEntrypoint", op: "update" },
          before: { zoneId, rules: [rule, managed] },
          recorded: {
            zoneId,
            rules: [
              { ...rule, id: "1", ref: "1" },
              { ...managed, id: "2", ref: "2" },
            ],
          },
          after: {
            zoneId,
            rules: [
              { ...managed, enabled: false },
              { ...rule, description: "new", expression: "false" },
            ],
          },
        },
      ],
      "2 WAF rules to change",
    ],
    [
      "an entry point that goes",
      [
        {
          ...{ name: "w", kind: "ManagedWafEntrypoint", op: "delete" },
          before: { zoneId, rules: [rule] },
          recorded: { zoneId, rules: [{ ...rule, id: "1", ref: "1" }], onDestroy: "remove" },
        },
      ],
      "1 WAF rule to delete",
    ],
    [
      "settings that are switched, and that go",
      [
        {
          ...{ name: "s", kind: "PageGuardSettings", op: "update" },
          ...{ before: { zoneId, enabled: true }, after: { zoneId, enabled: false } },
        },
        { name: "t", kind: "PageGuardSettings", op: "delete", before: { zoneId: zoneB, enabled: true } },
      ],
      "the settings of 1 zone to change, the settings of 1 zone to restore as found",
    ],
    [
      "settings under another name: those of the zone stay",
      [settings("delete", "s", { enabled: true }), settings("create", "t", { enabled: true })],
      "the settings of 1 zone to adopt",
    ],
    [
      "settings under another name that are switched",
      [settings("delete", "s", { enabled: true }), settings("create", "t", { enabled: false })],
      "the settings of 1 zone to change",
    ],
    [
      "settings that are replaced in their zone",
      [{ ...settings("replace", "s", { enabled: true }), after: { zoneId, enabled: false } }],
      "the settings of 1 zone to change",
    ],
    [
      "settings that move to another zone",
      [{ ...settings("replace", "s", { enabled: true }), after: { zoneId: zoneB, enabled: true } }],
      "the settings of 1 zone to create, the settings of 1 zone to restore as found",
    ],
    [
      "an entry point under another name, with another list",
      [
        list("delete", "w", [rule, managed]),
        list("create", "v", [managed, { ...rule, expression: "false" }, third]),
      ],
      "1 WAF rule to adopt, 2 WAF rules to create",
    ],
    [
      "an entry point under another name, without one of its rules",
      [list("delete", "w", [rule, managed], { onDestroy: "keep" }), list("create", "v", [managed])],
      "1 WAF rule to adopt",
    ],
    [
      "an entry point that is replaced in its zone",
      [{ ...list("replace", "w", [rule, managed]), after: { zoneId, rules: [managed] } }],
      "1 WAF rule to delete",
    ],
  ];
  for (const [what, steps, counts] of rows) {
    it(what, () => {
      const sorted = (text: string): string[] =>
        text
          .replace(/(, in \d zones)?\.$/, "")
          .toLowerCase()
          .split(", ")
          .sort();
      assert.deepEqual(sorted(reviewed(...steps).headline), sorted(`${counts}.`));
    });
  }
});

describe("What protects less", () => {
  const update = (before: object, after: object): StepOptions => ({
    ...{ name: "p", op: "update", before: { zoneId, ...named, ...before } },
    recorded: { zoneId, ...named, ...before, policyId: "id" },
    after: { zoneId, ...named, ...after },
    diff: Object.fromEntries(Object.keys(after).map((key) => [key, "update"])),
  });
  const entrypoint = (before: object, after: object | undefined): StepOptions => ({
    ...{ name: "w", kind: "ManagedWafEntrypoint", op: "update" },
    before: { zoneId, rules: [{ ...managed, ...before }] },
    recorded: { zoneId, rules: [{ ...managed, ...before, id: "1", ref: "1" }] },
    after: { zoneId, rules: after ? [{ ...managed, ...after }] : [] },
  });
  const wide = { value: "script-src 'self' https://wide.example" };
  const overrides = { actionParameters: { id: "f".repeat(32), overrides: { enabled: false } } };
  const rows: readonly (readonly [step: StepOptions, weaker: string | undefined])[] = [
    [update({}, { action: "log" }), "no longer enforced"],
    [update({}, { enabled: false }), "no longer enforced"],
    [update({}, { action: unknown }), "may no longer be enforced"],
    [update({}, wide), "may allow more"],
    [update(wide, {}), undefined],
    [update({}, { value: unknown }), "may allow more"],
    [update({}, { value: secretInEvent }), "may allow more"],
    [update({}, { expression: 'http.host eq "other.example"' }), "for other requests"],
    [update({}, { ...wide, expression: "true" }), "for other requests, may allow more"],
    [update({}, { description: "other" }), undefined],
    [update({ action: "log" }, wide), undefined],
    [update({ action: "log" }, {}), undefined],
    [gone("p"), "no longer enforced"],
    [gone("p", { action: "log" }), undefined],
    [entrypoint({}, undefined), "no longer in force"],
    [entrypoint({}, { enabled: false }), "switched off"],
    [entrypoint({}, overrides), "another overrides"],
    [entrypoint({}, { expression: "false" }), "another expression"],
    [entrypoint({}, { description: "other" }), undefined],
    [entrypoint({ enabled: false }, {}), undefined],
    [{ ...entrypoint({}, {}), after: { zoneId, rules: [rule, managed] } }, "a new rule that skips"],
    [
      {
        ...{ name: "s", kind: "PageGuardSettings", op: "update" },
        ...{ before: { zoneId, enabled: true }, after: { zoneId, enabled: false } },
      },
      "monitoring switched off",
    ],
    [
      {
        ...{ name: "s", kind: "PageGuardSettings", op: "delete", before: { zoneId, enabled: true } },
        recorded: { zoneId, enabled: true, initial: { enabled: true } },
      },
      undefined,
    ],
    [
      {
        ...{ name: "s", kind: "PageGuardSettings", op: "delete", before: { zoneId, enabled: true } },
        recorded: { zoneId, enabled: true, initial: { enabled: false } },
      },
      "monitoring switched off",
    ],
  ];
  for (const [index, [one, weaker]] of rows.entries()) {
    it(`${index + 1}. ${one.kind ?? "CspPolicy"} ${one.op}: ${weaker ?? "nothing"}`, () => {
      const found = reviewed(one).zones.flatMap(({ grave }) =>
        grave.map((text) => text.replace(/^\w+: /, "")),
      );
      assert.deepEqual(found, weaker === undefined ? [] : [weaker]);
    });
  }
});

describe("page-guard review of zones", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-zones-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function review(
    lines: readonly string[],
    findings: readonly object[] = [],
    flags: readonly string[] = [],
  ) {
    writeFileSync(join(folder, "events.jsonl"), [stackStep(), ...lines, summary()].join("\n"));
    writeFileSync(join(folder, "findings.jsonl"), findings.map((one) => JSON.stringify(one)).join("\n"));
    const files = ["--events", "events.jsonl", "--findings", "findings.jsonl", "--html", "page.html"];
    const { out, err, code } = await pageGuard(["review", ...files, "--markdown", "-", ...flags], {
      cwd: folder,
    });
    assert.equal(code, 0, err);
    return out;
  }

  const setUrn = urnOf("set", "CspPolicySet");
  const exact = step(set("create", undefined, {}, { others: "delete" }));

  it("says a lint finding of many policies once, whatever their keys", async () => {
    const lint = (key: string) =>
      diagnostic(
        "warning",
        `policies.${key}.value: no object-src. (medium) [csp-lint-no-object-src]`,
        setUrn,
      );
    const told = ["a", "b", "c"].map((key) => ({
      ...{ code: "csp-lint-no-object-src", severity: "warning", urn: setUrn, zone: zoneId },
      ...{ property: `policies.${key}.value`, text: "no object-src. (medium)" },
    }));
    const out = await review([exact, ...["a", "b", "c"].map(lint)], told);
    assert.equal(out.match(/no object-src/g)?.length, 1);
    assert.match(out, /\*\*CspPolicySet set\.a\.value, set\.b\.value, set\.c\.value\*\*/);
  });

  it("counts what visitors would lose, malicious items apart, and shows the message of equal zones once", async () => {
    const zones = [zoneId, zoneB];
    const { code, text, data } = blocking(
      "script-src 'self'",
      scripts(
        { url: "https://pay.example/a.js" },
        { url: "https://pay.example/b.js" },
        { url: "https://bad.example/x.js", jsIntegrityScore: 1 },
      ),
    );
    const out = await review(
      zones.flatMap((zone, at) => [
        diagnostic("warning", `${text} [${code}]`, urnOf(`p${at}`)),
        step(come(`p${at}`, { zoneId: zone })),
      ]),
      zones.map((_, at) => ({ code, severity: "warning", urn: urnOf(`p${at}`), property: "", text, data })),
      ["--out", "."],
    );
    assert.match(out, /Visitors would lose scripts and connections in use \(4 scripts\), in 2 zones/);
    assert.match(
      out,
      /\| `a0a1\w+`, `b0b1\w+` \| visitors lose scripts and connections \(2 scripts\) \| 1 policy created, 1 malicious kept out \|/,
    );
    assert.equal(out.match(/pay\.example: breaks 2 scripts/g)?.length, 1);
    assert.match(out, /\*\*CspPolicy p0, p1\*\*.*pay\.example: breaks/);
    assert.match(readFileSync(join(folder, "page.html"), "utf8"), /pay\.example/);
    const { impact } = JSON.parse(readFileSync(join(folder, "review.json"), "utf8"));
    assert.deepEqual(impact, { scripts: 4, connections: 0, isUnknown: false });
  });

  it("says in the headline, by zone and in a group of its own that a policy lets in what is malicious", async () => {
    const bad = { urlReportedMalicious: true };
    const skimmer = scripts({ url: "https://cdn.example/x.js", ...bad });
    const beacon = connections({ url: "wss://cdn.example/x", ...bad });
    const said = [lettingIn("script-src *", skimmer), lettingIn("default-src *", [...skimmer, ...beacon])];
    const out = await review(
      [
        ...said.map(({ text, code }, at) => diagnostic("warning", `${text} [${code}]`, urnOf(`p${at}`))),
        ...[zoneId, zoneB].map((zone, at) => step(come(`p${at}`, { zoneId: zone }))),
      ],
      said.map((one, at) => ({ ...one, severity: "warning", property: "", urn: urnOf(`p${at}`) })),
    );
    assert.match(
      out,
      /^- \*\*Policies let in 2 malicious scripts and 1 malicious connection, in 2 zones\.\*\*$/m,
    );
    assert.match(out, /\| `b0b1\w+` \| lets in 1 malicious script<br>lets in 1 malicious connection \|/);
    assert.match(out, /### Malicious and let in \(2\)\n[^#]*\*\*CspPolicy p0\*\*.*lets in 1 script, like/);
    assert.doesNotMatch(out, /What else visitors/);
  });

  it("does not say that visitors lose what the zone blocks today already", async () => {
    const text =
      "the zone enforces this policy already, so nothing changes for visitors. It would block 1 of 2 scripts:\n  a.example: 1 script";
    const out = await review([
      step(come("a")),
      diagnostic("warning", `${text} [csp-blocks-already]`, urnOf("a")),
    ]);
    assert.doesNotMatch(out, /would lose|visitors lose|What else visitors/);
    assert.match(out, /<summary>Other messages \(1\)[\s\S]*enforces this policy already/);
  });
});
