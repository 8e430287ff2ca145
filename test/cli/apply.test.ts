import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../provider/src/api/clock";
import { lockOwner } from "../../provider/src/cli/approval/backend-lock";
import { differencesFrom } from "../../provider/src/cli/approval/differences";
import { pulumiUp } from "../../provider/src/cli/pulumi/command-line";
import { providerText } from "../../provider/src/internals/provider-text";
import { readApproved } from "../../provider/src/lifecycle/approval/approved-file";
import { digestKey, fileDigest } from "../../provider/src/lifecycle/approval/keyed-digest";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { approve, step } from "../lifecycle/support/approve";
import { type Desk, type Ended, useDesk } from "./support/console";
import { blocking, connections, lettingIn, scripts } from "./support/in-use";
import { eventOf, PlayedPulumi, warning } from "./support/played-pulumi";

const zone = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
const csp = {
  zoneId: zone,
  description: "checkout",
  action: "log",
  expression: "true",
  value: "script-src 'self'",
};
const kind = "CspPolicy";

describe("page-guard apply with a fake pulumi", () => {
  const atDesk = useDesk();

  /** A desk with a zone, an approval of one step, and a `pulumi` that plays what the test says. */
  async function begin(steps = [step(kind, "create", "csp", csp)]) {
    const desk = await atDesk();
    desk.sim.zones.seed(zone, { policies: [{ description: "somebody's", expression: "true" }] });
    const file = join(desk.folder, "approved.json");
    await approve(file, desk.sim, { zones: [zone], steps });
    const pulumi = new PlayedPulumi(desk);
    pulumi.previews(...steps.map((one) => eventOf(one.op, one.urn, one.after)));
    const apply = (flags: readonly string[] = [], clock?: Clock): Promise<Ended> =>
      desk.pageGuard(["apply", "--approved", file, ...flags, "--", "pulumi", "up", "--stack", "dev"], {
        env: pulumi.env,
        ...(clock && { clock }),
      });
    return { desk, file, pulumi, apply };
  }

  it("given nothing has changed since the approval, then it runs the update under the approved file", async () => {
    const { file, pulumi, apply } = await begin();
    const { code, err } = await apply();
    assert.equal(code, 0, err);
    assert.match(err, /As approved .*: 1 to create; 1 zone checked/);
    const [preview = "", up = ""] = pulumi.calls();
    assert.match(preview, /^preview --stack dev --json --non-interactive --save-plan \S+ held to $/);
    assert.ok(up.startsWith("up --stack dev --yes --skip-preview --non-interactive --plan /"), up);
    assert.ok(up.endsWith(` held to ${file}`), up);
  });

  for (const [ended, expected] of [
    [0, 0],
    [1, 1],
    [2, 1],
    [8, 8],
    [255, 255],
  ] as const) {
    it(`given an update that ends with ${ended}, then so does it: ${expected}; and a preview likewise`, async () => {
      const { pulumi, apply } = await begin();
      pulumi.ups(`exit ${ended}`);
      assert.equal((await apply()).code, expected);
      if (ended === 0) return;
      pulumi.fails(ended, "csp: it would block what is in use [csp-blocks-in-use]");
      const { code, out } = await apply();
      assert.equal(code, expected);
      assert.match(out, /nothing was changed:\n {2}csp: it would block/);
      assert.equal(pulumi.calls().length, 3, "the update was not run again");
    });
  }

  it("given a locked stack, then it reports the lock's owner and age, waits, compares again, and never removes the lock", async () => {
    const { desk, pulumi, apply } = await begin();
    pulumi.ups(lockedOnce(desk, "deploy@ci-7", "2026-01-01T00:00:00Z"));
    const clock = new PlayedClock();
    const { code, err } = await apply(["--wait", "20"], clock);
    assert.equal(code, 0, err);
    assert.match(err, /locked by deploy@ci-7, process 123, for \d+ (s|min|h|days)\. Waiting .* 20 min/);
    assert.deepEqual(
      pulumi.calls().map((call) => call.split(" ")[0]),
      ["preview", "up", "preview", "up"],
    );
    assert.equal(clock.waited, 10_000);
  });

  it("given a locked stack whose other update changes the zone, then it stops", async () => {
    const { desk, pulumi, apply } = await begin();
    pulumi.ups(lockedOnce(desk, "deploy@ci-7", "2026-01-01T00:00:00Z"));
    const clock = new PlayedClock(() => {
      desk.sim.dashboard.putPolicy(zone, { description: "by the other one", expression: "true" });
    });
    const { code, out } = await apply(["--wait", "20"], clock);
    assert.equal(code, 2);
    assert.match(out, /the policy "by the other one" .* is new/);
  });

  it("given a lock that is not released, then it stops after --wait, with pulumi's exit code", async () => {
    const { pulumi, apply } = await begin();
    pulumi.ups(`${lockMessage("a@b", "x")}\nexit 255`);
    const clock = new PlayedClock();
    const { code, err } = await apply(["--wait", "0.5"], clock);
    assert.equal(code, 255);
    assert.equal(clock.waited, 30_000);
    const over = lastLine(err);
    assert.match(over, /nothing was changed, .* 0\.5 min .*pulumi cancel/);
    const without = lastLine((await apply()).err);
    assert.match(without, /nothing was changed, .* --wait MINUTES /);
  });

  it("given an object that someone created exactly as planned, then only --allow taken-over accepts it", async () => {
    const { desk, pulumi, apply } = await begin();
    desk.sim.dashboard.putPolicy(zone, { ...csp, value: " script-src  'self' ;" });
    const taken = "the zone has exactly this policy already (id 1) [csp-adopted]";
    const urn = step(kind, "create", "csp").urn;
    pulumi.previews(eventOf("create", urn, csp), warning(urn, taken));
    const refused = await apply();
    assert.equal(refused.code, 2);
    assert.match(refused.out, / not shown at approval: .*\[csp-adopted\]/);
    assert.match(refused.out, / --allow taken-over/);
    assert.equal((await apply(["--allow", "no-change"])).code, 2);
    const { code, err } = await apply(["--allow", "taken-over,no-change"]);
    assert.equal(code, 0, err);
    assert.match(err, /^Allowed: zone a0a1.* "checkout" .* new\./m);
    assert.match(pulumi.calls().at(-1) ?? "", /held to .*page-guard-.*approved\.json$/);

    desk.sim.dashboard.putPolicy(zone, { ...csp, value: "script-src 'none'" });
    assert.equal((await apply(["--allow", "taken-over,no-change"])).code, 2);
  });

  it("given an input that was unknown at approval, then only --allow unknown-input accepts its value", async () => {
    const open = { ...step(kind, "create", "csp", csp), unknown: [["value"]] };
    const { pulumi, apply } = await begin([open]);
    pulumi.previews(eventOf("create", open.urn, csp));
    const refused = await apply(["--allow", "no-change,taken-over"]);
    assert.equal(refused.code, 2);
    assert.match(refused.out, / input value was not known at approval/);
    assert.equal((await apply(["--allow", "unknown-input"])).code, 0);
    assert.match(pulumi.calls().at(-1) ?? "", /held to .*page-guard-.*approved\.json$/);
    pulumi.previews(eventOf("create", open.urn, { ...csp, action: "allow" }));
    assert.match((await apply(["--allow", "unknown-input"])).out, /the program declares action "allow"/);
  });

  it("given several differences that may be allowed, then it names all the allowances that are needed", async () => {
    const open = { ...step(kind, "create", "csp", csp), unknown: [["value"]] };
    const { pulumi, apply } = await begin([open, step(kind, "create", "more", csp)]);
    const event = eventOf("create", open.urn, { ...csp, value: unknownValue });
    pulumi.previews(event, eventOf("same", step(kind, "create", "more").urn, csp));
    const { out } = await apply();
    assert.match(out, /create csp \(CspPolicy\): .* value .* known after/);
    assert.match(out, /FILE\. If you mean it, allow it with --allow unknown-input,no-change\.\n$/);
    assert.equal((await apply(["--allow", "unknown-input,no-change"])).code, 0);
    // A literal text is not a mark, and a value that is no longer known is another one.
    pulumi.previews(eventOf("create", open.urn, { ...csp, value: unknownValue, action: unknownValue }));
    assert.match((await apply(["--allow", "unknown-input,no-change"])).out, /the program declares action /);
  });

  it("given a step that is no longer needed, then it refuses the update unless that is allowed", async () => {
    const { pulumi, apply } = await begin();
    pulumi.previews(eventOf("same", step(kind, "create", "csp").urn, csp));
    assert.match((await apply()).out, /to create csp \(CspPolicy\) is no longer needed/);
    assert.equal((await apply(["--allow", "no-change"])).code, 0);
  });

  it("given an update that was interrupted, then --allow accepts what it had done, and the rest is as approved", async () => {
    const more = { ...csp, description: "more" };
    const { desk, pulumi, apply } = await begin([
      step(kind, "create", "csp", csp),
      step(kind, "create", "more", more),
    ]);
    desk.sim.dashboard.putPolicy(zone, csp);
    pulumi.previews(
      eventOf("same", step(kind, "create", "csp").urn, csp),
      eventOf("create", step(kind, "create", "more").urn, more),
    );
    assert.equal((await apply()).code, 2);
    const { code, err } = await apply(["--allow", "no-change"]);
    assert.equal(code, 0, err);
    assert.match(err, /As approved .*: 1 to create/);
  });

  it("given an object that an earlier run replaced and did not delete, then its deletion and the update are two steps", async () => {
    const steps = [
      step(kind, "update", "csp", csp),
      step(kind, "replace", "csp", csp, { id: `${zone}/old`, recorded: {} }),
    ];
    const { pulumi, apply } = await begin(steps);
    const { urn } = step(kind, "update", "csp");
    const left = eventOf("delete-replaced", urn, csp, `${zone}/old`);
    pulumi.previews(eventOf("update", urn, csp), left);
    assert.match((await apply()).out, /to update csp \(CspPolicy\): the state has a different/);
    pulumi.previews(left);
    assert.match((await apply()).out, /to update csp \(CspPolicy\) is no longer needed/);
  });

  it("given a finding that was not shown at approval, or something else that would be blocked, then it refuses the update", async () => {
    const { desk, file, pulumi, apply } = await begin();
    const { urn } = step(kind, "create", "csp");
    const steps = [step(kind, "create", "csp", csp)];
    const blocks = { urn, severity: "warning", code: "csp-blocks-in-use", text: "it blocks a.js" };
    await approve(file, desk.sim, {
      zones: [zone],
      steps,
      more: { findings: [blocks, { ...blocks, code: "csp-lint", text: "1" }] },
    });
    const create = eventOf("create", urn, csp);
    pulumi.previews(create, warning(urn, "it blocks a.js [csp-blocks-in-use]"), warning(urn, "2 [csp-lint]"));
    assert.equal((await apply()).code, 0);
    pulumi.previews(create, warning(urn, "it blocks a.js and pay.js [csp-blocks-in-use]"));
    assert.match((await apply()).out, /csp: .* not shown at approval: it blocks a\.js and pay\.js/);
  });

  it("given another command, a --plan, another stack or an invalid --wait, then it explains the mistake", async () => {
    const { desk, file, pulumi, apply } = await begin();
    const said = async (...args: string[]): Promise<string> => {
      const { code, err } = await desk.pageGuard(["apply", "--approved", file, ...args], { env: pulumi.env });
      assert.equal(code, 1, err);
      return err;
    };
    assert.match(await said("--", "rm", "-rf", "up"), /page-guard apply --approved FILE -- pulumi up/);
    assert.match(await said("--", "pulumi", "destroy"), /-- pulumi up/);
    assert.match(await said("--", "pulumi", "up", "--plan=x"), /Leave out --plan/);
    assert.match(await said("--wait", "soon", "--", "pulumi", "up"), /Expected minutes/);
    assert.match(await said("--allow", "all", "--", "pulumi", "up"), /taken-over, no-change, unknown-zone/);
    assert.deepEqual(pulumi.calls(), []);
    pulumi.previews(eventOf("create", "urn:pulumi:other::story::x:y:z::csp", csp));
    assert.match((await apply()).err, / is for stack dev of story, .* other of story/);
    writeFileSync(file, "{}");
    assert.match((await apply()).err, /is not a valid approval file/);
  });
});

describe("The differences that apply names", () => {
  it("use the program's names: a migration's component, and the type of a resource of another package", () => {
    const type = "pulumi-nodejs:dynamic/page-guard:WafMigrationStep";
    const urn = `urn:pulumi:dev::story::page-guard:index:WafMigration$${type}::waf-step`;
    const waf = { ...step("WafMigrationStep", "create", "waf-step"), urn };
    const theirs = { ...waf, type: "x:y:SomeStep", urn: "urn:pulumi:dev::story::x:y:SomeStep::a-step" };
    const nothing = { steps: [], secrets: [], findings: [], zones: [], unknownZones: [] };
    const now = { ...nothing, steps: [waf, theirs], unknownZones: [urn] };
    const texts = differencesFrom({ ...nothing } as never, now, []).map(({ text }) => text);
    assert.deepEqual(
      texts.map((text) => /\bwaf \(WafMigration\)|\ba-step \(SomeStep\)|\bzone of waf\b/.exec(text)?.[0]),
      ["waf (WafMigration)", "a-step (SomeStep)", "zone of waf"],
    );
  });
});

describe("Changes in a zone's traffic that make another plan", () => {
  const { urn } = step(kind, "create", "csp");
  const nothing = { steps: [], secrets: [], findings: [], zones: [], unknownZones: [] };
  type Said = ReturnType<typeof blocking> | ReturnType<typeof lettingIn>;

  function between(approved: Said, now: Said): readonly string[] {
    const of = (said: Said) => ({ ...nothing, findings: [{ ...said, urn, severity: "warning" as const }] });
    return differencesFrom(of(approved) as never, of(now), []).map(({ text }) => text);
  }

  const policy = "script-src https://ok.example";
  const bad = (url: string) => ({ url, jsIntegrityScore: 1 });
  const blocked = (...items: Parameters<typeof scripts>): Said => blocking(policy, scripts(...items));
  /** The later the index, the longer ago seen: of many, a message only counts the last. */
  const hosts = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      url: `https://cdn-${at}.example/a.js`,
      lastSeenAt: `20${99 - at}-01-01T00:00:00Z`,
    }));
  const [a, b] = [{ url: "https://a.example/1.js" }, { url: "https://b.example/1.js" }];

  it("do not include visits: when, where and how often something was seen, and which URL is named", () => {
    const later = { lastSeenAt: "2024-06-01T00:00:00Z", firstPageUrl: "shop.example/other" };
    const same: readonly (readonly [Said, Said])[] = [
      [blocked(a), blocked({ ...a, ...later })],
      [blocked(a), blocked({ url: "https://a.example/2.js" })],
      [blocked(a), blocked({ ...a, status: "infrequent" })],
      [blocked(a), blocked(a, { url: "https://ok.example/new.js" })],
      [blocked(a, b), blocked(a, { ...b, ...later })],
      [blocked(a, b), blocked(a)],
      [blocked(...hosts(25)), blocked(...hosts(10))],
      [lettingIn("script-src *", scripts(bad(a.url))), lettingIn("script-src *", scripts(bad(b.url)))],
      [
        lettingIn("script-src * a.example", scripts(bad(a.url), bad(b.url))),
        lettingIn("script-src *", scripts(bad(a.url), bad(b.url))),
      ],
    ];
    for (const [approved, now] of same) assert.deepEqual(between(approved, now), [], now.text);
  });

  it("include a host, a number or a kind of blocked items that was not shown", () => {
    const others: readonly (readonly [Said, Said])[] = [
      [blocked(a), blocked(a, b)],
      [blocked(a), blocked(b)],
      [blocked(a), blocked(a, { url: "https://a.example/2.js" })],
      [blocked(a), blocked(bad(a.url))],
      [blocked(a, bad(b.url)), blocked(a, b)],
      [blocked(...hosts(25)), blocked(...hosts(26))],
      [
        blocked(...hosts(25)),
        blocked(...hosts(25), { url: "https://cdn-24.example/b.js", lastSeenAt: "2023" }),
      ],
    ];
    for (const [approved, now] of others) {
      const [first = "", ...more] = between(approved, now);
      assert.match(first, /^csp: .* not shown at approval: .*\[csp-blocks-in-use\]$/, now.text);
      assert.deepEqual(more, [], "a sentence for all of it");
    }
  });

  it("include a source or a number of malicious items let in that was not shown", () => {
    const [one, two] = [bad(a.url), bad(b.url)];
    const lets = (text: string, ...items: Parameters<typeof scripts>): Said =>
      lettingIn(text, scripts(...items));
    const others: readonly (readonly [Said, Said])[] = [
      [lets("script-src *", one), lets("script-src *", one, two)],
      [lets("script-src a.example", one), lets("script-src *", one)],
      [lets("script-src a.example b.example", one), lets("script-src a.example b.example", one, two)],
      [
        lets("script-src *", one),
        lettingIn("default-src *", connections({ ...one, urlReportedMalicious: true })),
      ],
    ];
    for (const [approved, now] of others)
      assert.match(between(approved, now).join("\n"), /not shown .*\[csp-lets-malicious-in\]$/, now.text);
  });

  it("include any change of the text where the data are missing or do not match it", () => {
    for (const said of [blocked(a), lettingIn("script-src *", scripts(bad(a.url)))]) {
      const later: Said = { ...said, text: said.text.replace(/\.js/g, ".mjs") };
      for (const data of [undefined, {}, { hosts: "none" }, { hosts: [], sources: [] }, said.data]) {
        const [was, is] = [
          { ...said, data },
          { ...later, data },
        ] as [Said, Said];
        assert.deepEqual(between(was, was), []);
        assert.equal(between(was, is).length, 1, JSON.stringify(data));
      }
    }
  });
});

describe("page-guard review --approve", () => {
  const atDesk = useDesk();
  const { urn } = step(kind, "create", "csp");

  async function begin() {
    const desk = await atDesk();
    desk.sim.zones.seed(zone, { policies: [{ description: "somebody's", expression: "true" }] });
    const pulumi = new PlayedPulumi(desk);
    pulumi.previews(eventOf("create", urn, csp), eventOf("same", `${urn}2`, csp));
    const file = join(desk.folder, "approved.json");
    const review = (args: readonly string[] = ["--", "pulumi", "preview"], env: NodeJS.ProcessEnv = {}) =>
      desk.pageGuard(["review", "--approve", file, ...args], { env: { ...pulumi.env, ...env } });
    return { desk, file, pulumi, review };
  }

  it("given a preview, then it writes the changes and the contents of the zones, without versions and times", async () => {
    const { file, review } = await begin();
    const { code, err } = await review();
    assert.equal(code, 0, err);
    const { steps, zones, project, stack } = readApproved(file, {}).content;
    assert.deepEqual([project, stack], ["story", "dev"]);
    assert.deepEqual(steps, [step(kind, "create", "csp", csp)]);
    assert.deepEqual(
      zones.map(({ zoneId, parts }) => [zoneId, parts]),
      [[zone, ["settings", "policies", "rules"]]],
    );
    assert.ok(!/updated|lastUpdated|"version": "/.test(readFileSync(file, "utf8")));
  });

  it("given a preview that fails, then it writes no file and removes that of an earlier review", async () => {
    const { file, pulumi, review } = await begin();
    await review();
    pulumi.fails(9, "no");
    assert.equal((await review()).code, 9);
    assert.ok(!existsSync(file));
  });

  it("given a secret input, then the file has only digests of policies, and recorded events are not enough", async () => {
    const { desk, file, pulumi, review } = await begin();
    const mark = {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      ciphertext: "[secret]",
    };
    const secret = eventOf("create", urn, { ...csp, value: mark });
    pulumi.previews(secret);
    assert.equal((await review()).code, 0);
    const { objects = [] } = readApproved(file, {}).content.zones[0] ?? {};
    assert.deepEqual(
      objects.filter(({ fields }) => fields).map(({ kind: name }) => name),
      ["settings"],
    );
    assert.ok(objects.some(({ digest }) => digest));
    // Nobody has made a digest of it, and the plan has it encrypted: what cannot be compared counts as unknown.
    assert.deepEqual(readApproved(file, {}).content.steps[0]?.unknown, [["value"]]);
    writeFileSync(
      join(desk.folder, "events"),
      `${JSON.stringify(secret)}\n${JSON.stringify({ summaryEvent: {} })}\n`,
    );
    writeFileSync(join(desk.folder, "plan"), JSON.stringify({ manifest: {}, resourcePlans: {} }));
    const { code, err } = await review(["--events", "events", "--plan", "plan"]);
    assert.equal(code, 1);
    assert.match(err, /has secret inputs, which events do not show/);
  });

  it("given a text in which the engine hides a secret of the config, then it is compared by a digest from the plan", async () => {
    const { desk, file, pulumi, review } = await begin();
    const hidden = eventOf("create", urn, { ...csp, expression: 'http.host eq "[secret]"' });
    const planned = (host: string): void =>
      pulumi.plans({ [urn]: { state: { ...csp, expression: `http.host eq "${host}"` } } });
    pulumi.previews(hidden);
    planned("a.example.com");
    assert.equal((await review()).code, 0);
    const { steps, secrets } = readApproved(file, {}).content;
    assert.deepEqual([steps[0]?.secret, steps[0]?.unknown], [["expression"], []]);
    assert.deepEqual(
      secrets.map(({ property }) => property),
      ["expression"],
    );
    const apply = () =>
      desk.pageGuard(["apply", "--approved", file, "--", "pulumi", "up"], { env: pulumi.env });
    assert.equal((await apply()).code, 0);
    planned("b.example.com");
    assert.match((await apply()).out, /the secret input expression of csp has a different value/);
  });

  it("given the plan of the preview, then the file has it unchanged, and the update gets it in a file that only its owner can read; no process gets the key", async () => {
    const { desk, file, pulumi, review } = await begin();
    const key = "a key of sixteen characters and more";
    const env = { PAGE_GUARD_APPROVAL_KEY: key };
    pulumi.plans({ [urn]: { state: csp, odd: "\u2028 <&>" } });
    assert.equal((await review(undefined, env)).code, 0);
    const { plan, salt } = readApproved(file, { key }).content;
    assert.match(plan, /^\{"manifest":\{\},"resourcePlans":/);
    const expected = digestKey(salt, key).key;
    const derived = () => {
      const { PAGE_GUARD_APPROVAL_DIGEST_KEY, ...others } = pulumi.lastEnv();
      assert.ok(!JSON.stringify(others).includes(key), "the key was handed on");
      return PAGE_GUARD_APPROVAL_DIGEST_KEY;
    };
    assert.equal(derived(), expected);
    const { code, err } = await desk.pageGuard(["apply", "--approved", file, "--", "pulumi", "up"], {
      env: { ...pulumi.env, ...env },
    });
    assert.equal(code, 0, err);
    assert.match(pulumi.givenPlan(), /^-rw-------/);
    assert.ok(pulumi.givenPlan().endsWith(plan));
    assert.equal(derived(), expected);
    assert.equal(pulumi.lastEnv()["PAGE_GUARD_APPROVED_SHA256"], fileDigest(readFileSync(file)));
  });

  it("given an invalid plan, one of another stack or one with secrets in plain text, then it writes no file", async () => {
    const { file, pulumi, review } = await begin();
    const open = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"x"' };
    for (const [plans, more, expected] of [
      [[], {}, /is not output of `pulumi preview --save-plan`/],
      [{ "urn:pulumi:other::story::t::n": {} }, {}, /belongs to another stack than the preview/],
      [{ [urn]: { state: { value: [open] } } }, {}, /has secrets in plain text, from --show-secrets/],
    ] as const) {
      pulumi.plans(plans, more);
      const { code, err } = await review();
      assert.equal(code, 1);
      assert.match(err, expected);
      assert.ok(!existsSync(file));
    }
  });

  it("given recorded events, then it requires their plan; it refuses flags that show secrets or save the plan", async () => {
    const { desk, file, pulumi, review } = await begin();
    const step = eventOf("create", urn, csp);
    writeFileSync(
      join(desk.folder, "events"),
      `${JSON.stringify(step)}\n${JSON.stringify({ summaryEvent: {} })}\n`,
    );
    assert.match((await review(["--events", "events"])).err, /--plan goes with --events and --approve/);
    assert.match((await review(["--plan", "plan"])).err, /--plan goes with --events and --approve/);
    assert.match(
      (await desk.pageGuard(["review", "--events", "events", "--plan", "plan"])).err,
      /--plan goes with --events and --approve/,
    );
    writeFileSync(join(desk.folder, "plan"), JSON.stringify({ manifest: {}, resourcePlans: { [urn]: {} } }));
    assert.equal((await review(["--events", "events", "--plan", "plan"])).code, 0);
    assert.match(readApproved(file, {}).content.plan, /resourcePlans/);

    for (const flag of ["--show-secrets", "--show-secrets=true"]) {
      assert.match((await review(["--", "pulumi", "preview", flag])).err, /Leave out --show-secrets/);
      const apply = await desk.pageGuard(["apply", "--approved", file, "--", "pulumi", "up", flag]);
      assert.match(apply.err, /Leave out --show-secrets/);
    }
    assert.match((await review(["--", "pulumi", "preview", "--save-plan=x"])).err, /Leave out --save-plan/);
    assert.deepEqual(pulumi.calls(), []);
  });

  it("given a resource with a type of this package and another provider, then it reports it first, with its whole type, and neither approves nor applies it", async () => {
    const { desk, file, pulumi, review } = await begin();
    await review();
    for (const [inputs, provider] of [
      [{ ...csp, __provider: "exports.handler=()=>require('./evil')" }, undefined],
      [
        { ...csp, __provider: { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" } },
        undefined,
      ],
      [csp, "urn:pulumi:dev::story::pulumi:providers:pulumi-nodejs::own::1"],
    ] as const) {
      const event = eventOf("create", urn, {});
      const { metadata } = Object(event).resourcePreEvent;
      metadata.new.inputs = { __provider: providerText("CspPolicy"), ...inputs };
      if (provider) metadata.provider = provider;
      pulumi.previews(event);
      const apply = await desk.pageGuard(["apply", "--approved", file, "--", "pulumi", "up"], {
        env: pulumi.env,
      });
      assert.equal(apply.code, 2, apply.err);
      assert.match(apply.out, /csp has a type of this package, .* the program's own/);
      const reviewed = await review();
      assert.equal(reviewed.code, 1);
      assert.match(
        reviewed.out,
        /^Stack dev.*\n\nWhat stops it\n.*csp: .*page-guard:CspPolicy, .* the program's own.*\[provider-forged\]/s,
      );
      assert.match(reviewed.err, / the program's own.*No file/);
      assert.ok(!existsSync(file));
      pulumi.previews(eventOf("create", urn, csp));
      await review();
    }
    // Of a replacement the engine may tell first what goes.
    const forged = eventOf("create-replacement", urn, {});
    Object(forged).resourcePreEvent.metadata.new.inputs = { ...csp, __provider: "exports.handler=()=>evil" };
    pulumi.previews(eventOf("delete-replaced", urn, csp, `${zone}/old`), forged);
    assert.match((await review()).out, /\[provider-forged\]/);
  });

  it("given PAGE_GUARD_OFFLINE, a short key or no file, then it fails before the preview", async () => {
    const { desk, pulumi, review } = await begin();
    assert.match((await review([], { PAGE_GUARD_OFFLINE: "1" })).err, /PAGE_GUARD_OFFLINE is set/);
    assert.match((await review([], { PAGE_GUARD_APPROVAL_KEY: "short" })).err, /fewer than 16 characters/);
    const printed = await desk.pageGuard(["review", "--approve", "-"], { env: pulumi.env });
    assert.match(printed.err, /--approve takes a file/);
    assert.deepEqual(pulumi.calls(), []);
  });

  it("given a connection and token in the stack's config only, then it reads them there", async () => {
    const { desk, file, pulumi, review } = await begin();
    const config = {
      "page-guard:apiToken": { value: desk.sim.token, secret: true },
      "page-guard:baseUrl": { value: desk.sim.url },
    };
    pulumi.configures(config);
    const env = { PAGE_GUARD_API_TOKEN: "", PAGE_GUARD_BASE_URL: "" };
    const { code, err } = await review(["--", "pulumi", "preview", "-s", "dev"], env);
    assert.equal(code, 0, err);
    assert.ok(!readFileSync(file, "utf8").includes(desk.sim.token));
    assert.match(pulumi.calls().at(-1) ?? "", /^config -s dev --json --show-secrets/);
  });
});

describe("The commands that apply runs", () => {
  it("run the preview without the flags that only an update knows", () => {
    const given = [
      "/opt/pulumi",
      "-C",
      "infra",
      "up",
      "-y",
      "-f",
      "--secrets-provider",
      "x",
      "--refresh",
      "--stack=prod",
    ];
    const { up, preview, config } = pulumiUp([
      ...given,
      "--continue-on-error",
      "--target",
      "a",
      "--config-file",
      "c",
    ]);
    assert.deepEqual(preview.slice(1), [
      "preview",
      "-C",
      "infra",
      "--refresh",
      "--stack=prod",
      "--target",
      "a",
      "--config-file",
      "c",
      "--json",
      "--non-interactive",
    ]);
    assert.deepEqual(up.slice(-3), ["--yes", "--skip-preview", "--non-interactive"]);
    assert.deepEqual(config.slice(1, -3), ["config", "-C", "infra", "--stack=prod", "--config-file", "c"]);
  });

  it("recognise a lock by the messages of the backends and of Pulumi Cloud, and no other failure", () => {
    const now = Date.parse("2026-01-01T00:10:00Z");
    const of = (at: string) => lockOwner(lockText("deploy@ci-7", at), now);
    assert.equal(of("2026-01-01T00:09:30Z"), "deploy@ci-7, process 123, for 30 s");
    assert.equal(of("2026-01-01T00:00:00Z"), "deploy@ci-7, process 123, for 10 min");
    assert.equal(of("2025-12-31T00:00:00Z"), "deploy@ci-7, process 123, for 24 h");
    assert.equal(of("\u001b[31mnever"), "deploy@ci-7, process 123");
    assert.equal(
      lockOwner("error: [409] Conflict: Another update is currently in progress.", now),
      "another update of the stack",
    );
    assert.equal(lockOwner("error: the door is locked", now), undefined);
  });
});

function lockText(who: string, at: string): string {
  return `error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.\n  file:///b/.pulumi/locks/x.json: created by ${who} (pid 123) at ${at}`;
}

function lockMessage(who: string, at: string): string {
  return `cat >&2 <<'END'\n${lockText(who, at)}\nEND`;
}

/** Only the first time. */
function lockedOnce({ folder }: Desk, who: string, at: string): string {
  const seen = join(folder, "seen");
  return `if [ ! -e '${seen}' ]; then touch '${seen}'\n${lockMessage(who, at)}\nexit 255; fi`;
}

/** Time that passes when somebody waits. */
class PlayedClock implements Clock {
  waited = 0;

  constructor(private readonly meanwhile: () => void = () => undefined) {}

  now(): number {
    return this.waited;
  }

  epochNow(): number {
    return Date.now();
  }

  schedule(ms: number, callback: () => void): () => void {
    this.waited += ms;
    this.meanwhile();
    setImmediate(callback);
    return () => undefined;
  }
}
