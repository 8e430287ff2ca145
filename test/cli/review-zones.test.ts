import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { objectCounts } from "../../provider/src/cli/review/counts";
import { policyChanges } from "../../provider/src/cli/review/policy-changes";
import { readEvents } from "../../provider/src/cli/review/read-events";
import { ruleChanges } from "../../provider/src/cli/review/rule-changes";
import { settingsChanges } from "../../provider/src/cli/review/settings-changes";
import { deletedText } from "../../provider/src/resources/csp-policy-set/undeclared";
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

function changesOf(...steps: readonly StepOptions[]) {
  const read = readEvents(steps.map(step));
  return [...policyChanges(read.steps), ...ruleChanges(read.steps), ...settingsChanges(read.steps)];
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

describe("What happens to objects of zones, counted from the engine's steps", () => {
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
      "1 policy to move to another resource unchanged",
    ],
    [
      "one that moves out of a set",
      [set("update", { checkout: content, other: content }, { other: content }), come("a")],
      "1 policy to move to another resource unchanged",
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
    [
      "two of which one moves",
      [gone("a"), gone("b"), come("c")],
      "1 policy to move to another resource unchanged, 1 policy to delete",
    ],
    ["a key with another name", [set("update", { a: { ...named } }, { b: { ...named } })], ""],
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
      "",
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
      "",
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
      "the settings of 1 zone to move to another resource unchanged",
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
      "1 WAF rule to create, 1 WAF rule to change, 1 WAF rule to move to another resource unchanged",
    ],
    [
      "an entry point under another name, without a rule that is restored or left",
      [list("delete", "w", [rule, managed], { onDestroy: "keep" }), list("create", "v", [managed])],
      "1 WAF rule to move to another resource unchanged, 1 WAF rule to leave in the zone, unmanaged",
    ],
    [
      "an entry point that is replaced in its zone",
      [{ ...list("replace", "w", [rule, managed]), after: { zoneId, rules: [managed] } }],
      "1 WAF rule to delete",
    ],
  ];
  for (const [what, steps, counts] of rows) {
    it(what, () => {
      const sorted = (text: string): string[] => text.split(", ").sort();
      assert.deepEqual(sorted(objectCounts(changesOf(...steps), "todo")), sorted(counts));
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
      const found = changesOf(one).flatMap((change) => change.weaker ?? []);
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

  const theirs = {
    ...{ policyId: "p1", description: "theirs", action: "allow", enabled: true },
    ...{
      expression: 'http.host eq "blog.example"',
      value: `script-src ${"https://a-long-host.example ".repeat(20)}`,
    },
  };
  const setUrn = urnOf("set", "CspPolicySet");
  const exact = step(set("create", undefined, {}, { others: "delete" }));
  const deleted = (text: string, policies: readonly object[]) => ({
    ...{ code: "csp-undeclared-deleted", severity: "warning", zone: zoneId, urn: setUrn, property: "others" },
    ...{ text, data: { policies } },
  });

  it("shows what others lose in full, right after what cannot be undone and before everything else", async () => {
    const text = deletedText([theirs]);
    const migration = { ...{ zoneId: zoneB, stage: "finished", confirm: zoneB } };
    const out = await review(
      [
        exact,
        diagnostic("warning", `others: ${text} [csp-undeclared-deleted]`, setUrn),
        diagnostic("error", "something is wrong", urnOf("p")),
        step({ name: "w-step", kind: "WafMigrationStep", op: "create", after: migration }),
      ],
      [deleted(text, [theirs])],
    );
    const places = ["CAUTION", "### Deleted or overwritten", theirs.value.trim(), "### What stops it"].map(
      (one) => out.indexOf(one),
    );
    assert.ok(!places.includes(-1), out);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    assert.match(out, /1 policy of others will be deleted/);
    assert.match(out, /policy "theirs"\*\* deleted by CspPolicySet set, zone `a0a1.*`, id `p1`/);
  });

  it("shows the engine's words if the file differs about what others lose, and still counts it", async () => {
    const text = deletedText([theirs]);
    for (const policies of [[{ ...theirs, action: "log" }], [{ ...theirs, policyId: "p2" }], []]) {
      const out = await review(
        [exact, diagnostic("warning", `others: ${text} [csp-undeclared-deleted]`, setUrn)],
        [deleted(text, policies)],
      );
      assert.match(out, /1 policy of others will be deleted/);
      assert.match(
        out,
        /nothing declares the policy "theirs": it is deleted\. Its id is p1, its action allow/,
      );
      assert.doesNotMatch(out, /\| `action` \| `log` \|/);
    }
  });

  it("says of an exact set that could not look that it may delete, with what the state knows", async () => {
    const offline = diagnostic("warning", "PAGE_GUARD_OFFLINE is set. [offline]");
    const step1 = {
      ...set("update", { a: content }, { a: content }, { others: "delete" }),
      recorded: { zoneId, undeclared: ['"theirs"'] },
    };
    const out = await review([offline, step(step1)]);
    assert.match(out, /Policies or rules of others may be deleted: nobody has checked which/);
    assert.match(
      out,
      /The update deletes every policy of the zone that is not declared\. At the last refresh there were: "theirs"/,
    );
    const other = await review([
      step({ ...step1, after: { ...step1.after, connection: { baseUrl: unknown } } }),
    ]);
    assert.match(other, /may be deleted/);
    const secret = await review([
      offline,
      step({ ...step1, after: { ...step1.after, others: secretInEvent } }),
    ]);
    assert.match(secret, /may be deleted/, "nobody sees what it says");
    assert.doesNotMatch(await review([step(step1)]), /may be deleted/, "it has looked, and found nothing");
  });

  it("counts what its resource leaves and an exact set deletes as a deletion of ours, not of others", async () => {
    const ours = { ...theirs, policyId: "id-a" };
    const text = deletedText([ours]);
    const out = await review(
      [
        step(gone("a", { onDestroy: "keep" })),
        exact,
        diagnostic("warning", `others: ${text} [csp-undeclared-deleted]`, setUrn),
      ],
      [deleted(text, [ours])],
    );
    assert.match(out, /\*\*1 policy to delete\./);
    assert.match(out, /Protection gets weaker in 1 zone/);
    assert.doesNotMatch(out, /of others/);
    const left = await review([step(gone("a", { onDestroy: "keep" }))]);
    assert.doesNotMatch(left, /weaker/);
  });

  it("puts what will most likely fail above the fold and into the headline", async () => {
    const out = await review([
      step(come("a")),
      diagnostic(
        "warning",
        "expression: the expression cannot be read: it ends in an operator. [expression-unreadable]",
        urnOf("a"),
      ),
      step({
        ...{ name: "w-step", kind: "WafMigrationStep", op: "delete", before: { zoneId, stage: "finished" } },
        recorded: { reached: "finished" },
      }),
    ]);
    assert.match(out, /^- \*\*The update will most likely fail: .*cannot be read/m);
    assert.ok(
      out.indexOf("What will most likely make the update fail (2)") < out.indexOf("### Deleted"),
      out,
    );
    assert.match(out, /A migration cannot be undone, so the update refuses to destroy it/);
  });

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

  it("says that nobody checked a policy that will enforce with impact off", async () => {
    const out = await review([
      step(come("a", { impact: "off" })),
      step(come("b", { zoneId: zoneB, action: "log", impact: "off" })),
    ]);
    assert.match(out, /`a0a1\w+` \| not checked \|/);
    assert.doesNotMatch(out, /`b0b1\w+` \| not checked/);
  });

  it("has one table of hosts for all zones, with malicious ones apart, and on the page too", async () => {
    const zones = [zoneId, zoneB];
    const lines = zones.flatMap((zone, at) => {
      const lastSeenAt = `2024-01-1${at}T00:00:00Z`;
      const { code, text, data } = blocking(
        "script-src 'self'",
        scripts(
          { url: "https://pay.example/a.js", lastSeenAt },
          { url: "https://pay.example/b.js", lastSeenAt },
          { url: `https://bad-${at}.example/x.js`, jsIntegrityScore: 1 },
        ),
      );
      const urn = urnOf(`p${at}`);
      const finding = { code, severity: "warning", urn, property: "", text, data };
      return [
        {
          line: diagnostic("warning", `${text} [csp-blocks-in-use]`, urn),
          step: step(come(`p${at}`, { zoneId: zone })),
          finding,
        },
      ];
    });
    const out = await review(
      lines.flatMap((one) => [one.line, one.step]),
      lines.map((one) => one.finding),
    );
    assert.match(
      out,
      /\| `pay\.example` \| 4 \| {2}\| {2}\| `https:\/\/pay\.example\/a\.js`: no source of script-src names pay\S+example \| `shop\.example\/checkout` \| `2024-01-11` \| CspPolicy p0, p1 \| `a0a1\w+`, `b0b1\w+` \|/,
    );
    assert.equal(out.match(/### What visitors would lose/g)?.length, 1);
    assert.match(out, /\| `bad-0\.example` \| {2}\| {2}\| 1 \|/);
    assert.match(out, /Visitors would lose 4 scripts and connections in use, in 2 zones/);
    assert.match(out, /\| `a0a1\w+`, `b0b1\w+` \| 2 scripts \| 1 \| 1 policy created \|/);
    assert.doesNotMatch(out, /What else visitors/);
    assert.match(readFileSync(join(folder, "page.html"), "utf8"), /pay\.example/);
  });

  it("gives of each host a URL that visitors lose and why it is blocked, in JSON too", async () => {
    const items = scripts({ url: "https://pay.example/skimmer.js", jsIntegrityScore: 1 });
    const more = scripts({ url: "https://pay.example/z.js" });
    const said = ["script-src pay.example/lib/", "script-src *.pay.example"].map((policy, at) => ({
      ...blocking(policy, at === 0 ? items : [...items, ...more]),
      ...{ severity: "warning", property: "", urn: urnOf(`p${at}`) },
    }));
    await review(
      [
        ...said.map(({ text, urn }) => diagnostic("warning", `${text} [csp-blocks-in-use]`, urn)),
        ...said.map((_, at) => step(come(`p${at}`))),
      ],
      said,
      ["--json", "review.json"],
    );
    const { hosts } = JSON.parse(readFileSync(join(folder, "review.json"), "utf8"));
    const [{ host, malicious, scripts: lost, url, reason }] = hosts;
    assert.deepEqual(
      { host, malicious, lost, url, reason },
      {
        ...{ host: "pay.example", malicious: 2, lost: 1, url: "https://pay.example/z.js" },
        reason:
          "no source of script-src allows it; the nearest is *.pay.example, but the host is pay.example",
      },
    );
    const page = readFileSync(join(folder, "page.html"), "utf8");
    assert.match(page, /<td data-name="one URL, and why">.*https:\/\/pay\.example\/z\.js.*the nearest is/);
  });

  it("refers from an error to the table that has its hosts", async () => {
    const { text, ...more } = blocking("script-src 'self'", scripts({ url: "https://pay.example/a.js" }));
    const urn = urnOf("p");
    const out = await review(
      [diagnostic("error", `${text} [csp-blocks-in-use]`, urn), step(come("p"))],
      [{ ...more, text, urn, severity: "error", property: "" }],
    );
    assert.match(
      out,
      /\(breaks 1 script\)\. Its hosts are under "What visitors would lose"\.<br>Allow what is needed/,
    );
  });

  it("says in the headline, by zone and in a group of its own that a policy lets in what is malicious", async () => {
    const bad = { urlReportedMalicious: true };
    const skimmer = scripts({ url: "https://cdn.example/x.js", ...bad });
    const beacon = connections({ url: "wss://cdn.example/x", ...bad });
    const said = [lettingIn("script-src *", skimmer), lettingIn("default-src *", [...skimmer, ...beacon])];
    const out = await review([
      ...said.map(({ text, code }, at) => diagnostic("warning", `${text} [${code}]`, urnOf(`p${at}`))),
      ...[zoneId, zoneB].map((zone, at) => step(come(`p${at}`, { zoneId: zone }))),
    ]);
    assert.match(
      out,
      /^- \*\*Policies let in 2 malicious scripts and 1 malicious connection, in 2 zones\.\*\*$/m,
    );
    assert.match(
      out,
      /\| zone \| malicious let in \| changes \|\n.*\n\| `a0a1\w+` \| 1 script \|.*\n\| `b0b1\w+` \| 1 script, 1 connection \|/,
    );
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

  it("believes the provider that a policy does not move: someone has edited it, so it is deleted and another one is created", async () => {
    const ours = { ...theirs, policyId: "id-a", description: "checkout" };
    const text = deletedText([ours]);
    const moving = step(set("create", undefined, { checkout: content }, { others: "delete" }));
    const said = diagnostic("warning", `others: ${text} [csp-undeclared-deleted]`, setUrn);
    const found = [deleted(text, [ours])];
    assert.match(await review([step(gone("a")), moving]), /1 policy to move/);
    const out = await review([step(gone("a")), moving, said], found);
    assert.match(out, /\*\*1 policy to create, 1 policy to delete\./);
    assert.match(out, /### Deleted \(1\)/);
    assert.doesNotMatch(out, /Moved to another/);
  });
});
