import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Review } from "../../../command/src/documents/review/review";
import type { FleetAction, FleetFlags } from "../../../command/src/fleet/gate";
import { type RunCommand, runFleet } from "../../../command/src/fleet/run-fleet";
import { sharedAlert } from "../../../command/src/review/overview";
import type { Told } from "../../../command/src/shared/session";
import { unknownValue } from "../../../provider/src/model/unknown";
import { sessionOf, useDesk, useFolder } from "../support/console";
import { secretInEvent, step as stepOf } from "../support/events";
import { noImpact, quietReview as quiet } from "../support/fleet";
import { PlayedPulumi } from "../support/played-pulumi";

type Drift = NonNullable<Told["drift"]>;

const names = ["a", "b", "c"];
const breaking: Review = { ...quiet, impact: { ...noImpact, scripts: 2 } };
const migration = { facts: [], remarks: [], file: undefined, line: undefined };
const undone = { name: "WafMigration new-waf", stage: "finished", zone: "b".repeat(32) };
const finishing: Review = { ...quiet, undone: [{ ...migration, ...undone }] };
/** Returns a review that changes a policy in a zone. */
const changing = (zone: string, value: string, op = "update"): Review => ({
  ...quiet,
  parts: [
    {
      title: "Updated",
      entries: [
        {
          op,
          subjects: ["CspPolicy checkout"],
          zones: [zone.repeat(32)],
          differences: [{ path: "value", before: "script-src 'self'", after: value }],
          file: "index.ts",
          line: 5,
        },
      ],
    },
  ],
});

describe("A preview of a fleet", () => {
  const folder = useFolder();

  async function preview(
    reviews: readonly (Review | Drift | number | string)[],
    flags: Partial<FleetFlags> = {},
    stage = "",
    action: FleetAction = "preview",
    env: NodeJS.ProcessEnv = {},
  ) {
    const zones = names.map((name) => `- { id: "${name.repeat(32)}", name: ${name}${stage} }\n`).join("");
    writeFileSync(join(folder, "zones.yaml"), zones);
    let out = "";
    const session = sessionOf({ cwd: folder, env }, (text) => {
      out += text;
    });
    const run: RunCommand = async (argv, { tell }) => {
      const stack = argv.find((arg) => arg.startsWith("--stack="))?.slice("--stack=".length) ?? "";
      const found = reviews[names.indexOf(stack)];
      if (typeof found === "number") return found;
      if (found === undefined || typeof found === "string") {
        tell?.(found === "empty" ? { isEmpty: true } : { reason: found ?? "" });
        return 1;
      }
      for (const flag of ["--approve", "--html"]) {
        const file = argv[argv.indexOf(flag) + 1];
        if (argv.includes(flag) && file !== undefined) writeFileSync(resolve(folder, file), `of ${stack}`);
      }
      const changedZones =
        "parts" in found ? found.parts.flatMap(({ entries }) => entries[0]?.zones ?? []) : [];
      tell?.("parts" in found ? { review: found, changedZones } : { drift: found });
      return "differences" in found && found.differences.length > 0 ? 2 : 0;
    };
    const given = { zones: "zones.yaml", parallel: 2, maxFailures: 0, maxImpact: 0, wait: 0, ...flags };
    const code = await runFleet(session, run, action, given);
    return { code, out };
  }

  it("exits with 0 if all are fine, with 2 if one needs attention, and with 1 if one failed, and names it", async () => {
    assert.equal((await preview([quiet, quiet, quiet])).code, 0);
    const found = await preview([quiet, finishing, quiet]);
    assert.equal(found.code, 2);
    assert.match(found.out, /b +1 +look +the stack would finish a migration.* stage: finished/);
    const failed = await preview([quiet, finishing, 1]);
    assert.equal(failed.code, 1);
    assert.match(failed.out, /c +1 +FAILED/);
    assert.equal((await preview([quiet, finishing, quiet], {}, ", stage: finished")).code, 0);
    assert.equal((await preview([quiet, finishing, quiet], {}, ", stage: validation")).code, 2);
  });

  it("given a file without zones, or no selected zone, then it says which of the two, and previews nothing", async () => {
    writeFileSync(join(folder, "none.yaml"), "[]\n");
    const empty = preview([], { zones: "none.yaml" });
    await assert.rejects(
      empty,
      /^CommandError: none\.yaml contains no zone, so nothing was done\. Add a line/,
    );
    for (const chosen of [{ wave: 7 }, { only: "eu" }])
      await assert.rejects(preview([], chosen), /: No zone in the file matches --wave and --only\.$/);
  });

  it("given stage: finished for a zone, then its stack may not finish the migration of another or an unknown zone", async () => {
    for (const zone of ["c".repeat(32), undefined]) {
      const elsewhere = { ...quiet, undone: finishing.undone.map((one) => ({ ...one, zone })) };
      const { code, out } = await preview([quiet, elsewhere, quiet], {}, ", stage: finished");
      assert.equal(code, 2, zone ?? "unknown");
      assert.match(out, /b +1 +look +the stack would finish a migration/);
    }
  });

  it("given a stack that changes the zone of another one, then it says so and exits with 2; a move out of a zone does not count, unless the list of zones gives that zone to another stack", async () => {
    const wrong = await preview([quiet, changing("c", "*"), quiet]);
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.out,
      /b +1 +look +the stack changes zone c{32}, but the list of zones gives it zone b{32}/,
    );
    const right = [changing("a", "*"), changing("d", "*", "delete"), changing("c", "*")];
    assert.equal((await preview(right)).code, 0);
    const taken = await preview([quiet, changing("c", "*", "delete"), quiet]);
    assert.equal(taken.code, 2);
    assert.match(
      taken.out,
      /b +1 +look +the stack deletes or restores objects in zone c{32}, .* gives to c\./,
    );
  });

  it("given a zone that another list in the folder has, then only the stack of that list may delete in it, and no stack if the lists disagree", async () => {
    const list = (text: string) => writeFileSync(join(folder, "us.yaml"), text);
    const leaving = [quiet, changing("d", "*", "delete"), quiet];
    for (const fault of ["", "- { id: 7 }\n"]) {
      list(`${fault}- { id: "${"d".repeat(32)}", name: d }\n- { id: "${"b".repeat(32)}" }\n`);
      const taken = await preview(leaving);
      assert.equal(taken.code, 2);
      assert.match(
        taken.out,
        /b +1 +look +the stack deletes or restores objects in zone d{32}, .* gives to d\./,
      );
    }
    const refused = /: zones\.yaml has zone b{32} with the name b, but us\.yaml has zone /;
    for (const [letter = "", name] of ["bx", "eB"]) {
      list(`- { id: "${letter.repeat(32)}", name: ${name} }\n`);
      await assert.rejects(preview(leaving), refused);
    }
    list(`- { id: "${"b".repeat(32)}", name: b }\n`);
    assert.equal((await preview(leaving)).code, 0);
    rmSync(join(folder, "us.yaml"));
  });

  it("given a change that affects visitors in more zones than --max-impact, then it exits with 2 and leaves no approvals or pages, also of earlier previews; an unknown impact counts", async () => {
    const approve = "approved";
    const left = () => (existsSync(join(folder, approve)) ? readdirSync(join(folder, approve)).sort() : []);
    assert.equal((await preview([quiet, finishing, quiet], { approve })).code, 2);
    assert.deepEqual(left(), ["a.html", "a.json", "c.html", "c.json"]);
    const { code, out } = await preview([breaking, quiet, quiet], { approve });
    assert.equal(code, 2);
    assert.match(out, /In 1 zone \(a\), the changes block.* --max-impact allows 0\. Nothing was approved/);
    assert.deepEqual(left(), []);
    assert.equal((await preview([breaking, breaking, quiet], { maxImpact: 2 })).code, 0);
    assert.equal((await preview([breaking, breaking, quiet], { maxImpact: 1 })).code, 2);
    const unknown = { ...quiet, impact: { ...noImpact, isUnknown: true } };
    assert.equal((await preview([unknown, quiet, quiet])).code, 2);
  });

  it("given a program that does not compile, then it shows the error for the first stack and refers to it for the others", async () => {
    const failure = "error: index.ts(3,1): Cannot find name 'polciy'\n";
    const { code, out } = await preview([failure, failure, failure], { parallel: 1 });
    assert.equal(code, 1);
    assert.equal(out.match(/polciy/g)?.length, 1, out);
    assert.match(out, /b +1 +FAILED +failed for the same reason as a\nc +1 +FAILED +failed for the same/);
  });

  const drift = (zone: string, notCompared = 0, differences: readonly string[] = []): Drift => ({
    differences,
    notCompared,
    zones: [zone.repeat(32)],
  });

  it("says how many values of a stack without drift could not be compared", async () => {
    const compared = [drift("a"), drift("b", 2), drift("c")];
    const { code, out } = await preview(compared, {}, "", "drift");
    assert.equal(code, 0);
    assert.match(out, /a +1 +ok +no drift\nb +1 +ok +no drift, 2 not compared \(secret\)\n/);
  });

  it("shows drift as text, as a comment and in JSON", async () => {
    const lines = ["changed: csp enabled: true => false", "never declared: policy by hand"];
    const found = [drift("a", 0, lines), drift("b"), drift("c")];
    const { code, out } = await preview(found, { markdown: "drift.md" }, "", "drift");
    assert.equal(code, 2);
    const comment = readFileSync(join(folder, "drift.md"), "utf8");
    for (const text of [out, comment]) {
      assert.match(text, /changed: csp enabled: true =(>|&gt;) false/);
      assert.match(text, /never declared: policy by hand/);
    }
    const { zones } = JSON.parse((await preview(found, { json: true }, "", "drift")).out);
    assert.equal(zones[0].drift.length, 2);
  });

  it("given a stack without resources in its zone, or without any, then drift says so and exits with 2", async () => {
    const { code, out } = await preview([drift("a"), drift("c"), "empty"], {}, "", "drift");
    assert.equal(code, 2);
    assert.match(out, /a +1 +ok +no drift\nb +1 +look +its stack has no resource in zone b{32}\n/);
    assert.match(out, /c +1 +look +nothing yet/);
  });

  it("given a stack whose zone left the file, then drift exits with 2, because nothing has compared the stack", async () => {
    const pulumi = new PlayedPulumi({ folder });
    pulumi.lists([...names, "d"].map((name) => ({ name, resourceCount: 3 })));
    const same = names.map((name) => drift(name));
    const { code, out } = await preview(same, {}, "", "drift", pulumi.env);
    assert.match(
      out,
      /^d: this stack has resources, but its name is not the name of a zone in the --zones file/m,
    );
    assert.equal(code, 2);
    // Other lists of the project, and a file that is no list of zones.
    writeFileSync(join(folder, "Pulumi.yaml"), "name: shops\n");
    writeFileSync(join(folder, "us.yaml"), `- { id: "${"e".repeat(32)}", name: d }\n`);
    const two = await preview(same, {}, "", "drift", pulumi.env);
    assert.doesNotMatch(two.out, /this stack has resources/);
    assert.equal(two.code, 0);
  });

  it("gives the numbers of changed and unchanged zones first, and says which zones lose something and which were not read", async () => {
    const losing = { ...quiet, impact: { ...noImpact, scripts: 1 }, isUnchanged: false };
    const counts = { policies: 3, rules: 1, settings: 0, begins: 2 };
    const unchanged = { ...quiet, isUnchanged: true };
    const { out } = await preview([{ ...losing, counts }, unchanged, quiet], { maxImpact: 1 });
    assert.match(out, /3 zones: 2 to change \(4 policies, 1 WAF rule, 2 begin to block\), 1 unchanged\./);
    assert.match(out, /^a +1 +look +visitors would lose 1 script\. /m);
    const loss = {
      kind: "rule",
      fate: "deleted",
      label: "H",
      places: [{ zone: "a", id: "h" }],
      by: [],
      content: [],
    } as const;
    const taking = await preview([{ ...quiet, losses: [loss] }, quiet, quiet]);
    assert.match(taking.out, /^a +1 +look +1 policy to update\.$/m);
    assert.match(taking.out, /3 zones: 3 to change \(.*, 1 unmanaged object lost\)\./);
    assert.match(out, /^b +1 +ok +nothing to do; its zone was not read \(--refresh reads it\)$/m);
  });

  it("reports a message that applies to many zones once, with the names of the first zones", async () => {
    const same = [
      "The order of WAF rules changes in 1 zone, so a different rule may decide what happens to a request.",
      "Guards are removed or weakened: CspPolicy p: impact is off, was error.",
      "1 policy begins to enforce, in 1 zone: shop. The impact was not checked.",
    ];
    const alerted = { ...quiet, alerts: same };
    const { out } = await preview([{ ...alerted, isUnchanged: false }, alerted, quiet]);
    assert.match(out, /^! In 2 zones the order of WAF rules changes, so a different rule may .*: a, b\.$/m);
    assert.match(
      out,
      /^! In 2 zones guards are removed or weakened \(CspPolicy p: impact is off, was .*\): a, b\.$/m,
    );
    assert.match(out, /^! In 2 zones the policy "shop" begins to block: a, b\. The impact was not/m);
    const many = Array.from({ length: 12 }, (_, at) => `shop-${at + 1}`);
    assert.equal(
      sharedAlert(same[2] ?? "", many),
      'In 12 zones the policy "shop" begins to block: shop-1, shop-2, shop-3, shop-4, shop-5, shop-6, shop-7, shop-8, shop-9, shop-10, and 2 more. The impact was not checked.',
    );
  });

  it("writes one comment that begins with changes that cannot be undone, and no markup or command from outside, also in the table and in JSON", async () => {
    const alerts = ["![x](https://evil.example)", "\n::error::all is well\u202e"];
    const hostile = { ...quiet, headline: "# <b>@team</b> \u001b[2Jgone\u202e", alerts };
    const { out } = await preview([hostile, finishing, quiet], { markdown: "review.md" });
    const text = readFileSync(join(folder, "review.md"), "utf8");
    assert.match(text, /^<!-- page-guard:review fleet -->\n/);
    assert.match(text, /cannot be undone[\s\S]*WafMigration new-waf/i);
    assert.doesNotMatch(text, /<b>|@team|!\[x\]/);
    const json = (await preview([hostile, quiet, quiet], { json: true })).out;
    assert.deepEqual(JSON.parse(json).zones[0].alerts, alerts);
    assert.match(out, /gone/);
    for (const shown of [text, out, json]) {
      assert.match(shown, /all is well/);
      for (const part of ["\u001b", "\u202e", "\n::"]) assert.ok(!shown.includes(part), shown);
    }
  });
});

describe("A preview of a fleet, from events of the engine and live zones", () => {
  const begin = useDesk();

  it("given a zone that is secret or not known yet, which may be that of another stack, then it exits with 2, unless --allow names it", async () => {
    const { folder, pageGuard } = await begin();
    writeFileSync(join(folder, "zones.yaml"), `- { id: "${"a".repeat(32)}", name: a }\n`);
    const pulumi = new PlayedPulumi({ folder });
    const fleet = (...flags: readonly string[]) =>
      pageGuard(["fleet", "preview", "--zones", "zones.yaml", ...flags], { env: pulumi.env });
    for (const zoneId of [secretInEvent, unknownValue]) {
      const after = { zoneId, action: "log", expression: "true", value: "script-src 'self'" };
      pulumi.previews(JSON.parse(stepOf({ name: "csp", op: "create", after })));
      const { code, out } = await fleet("--approve", "approved");
      assert.equal(code, 2);
      assert.match(
        out,
        /a +1 +look +the zone of \w+ \(CspPolicy\) is secret or not known yet, .* --allow a:unknown-zone/,
      );
      assert.ok(!existsSync(join(folder, "approved", "a.json")));
      const allowed = await fleet("--allow", "no-change,unknown-zone", "--approve", "approved");
      assert.equal(allowed.code, 0, allowed.out);
      assert.ok(existsSync(join(folder, "approved", "a.json")));
    }
  });

  it("given policies that begin to enforce with a new host, no minimumLogDays and others: delete in all zones, then it shows each change once, and unmanaged policies that are deleted by name", async () => {
    const { sim, folder, pageGuard } = await begin();
    // Each stack has the id of its zone as its name.
    const ids = ["a", "b"].map((letter) => letter.repeat(32));
    const zones = ids.map((id) => `- { id: "${id}", name: ${id} }\n`);
    writeFileSync(join(folder, "zones.yaml"), zones.join(""));
    const old = { action: "log", expression: "true", value: "script-src 'self'" } as const;
    for (const id of ids) {
      sim.zones.seed(id, { scripts: 0, connections: 0, cookies: 0, policies: [] });
      sim.dashboard.putPolicy(id, { ...old, id: "0".repeat(32), description: "checkout" });
      sim.dashboard.putPolicy(id, { ...old, description: "By the colleagues" });
    }
    const pulumi = new PlayedPulumi({ folder });
    const zoneId = "@stack@";
    const was = { zoneId, policies: { checkout: old }, minimumLogDays: 7, others: "keep" };
    const value = "script-src 'self' https://cdn-evil.example";
    const valueDiff = { "policies.checkout.value": "update" } as const;
    const step = stepOf({
      name: "shop",
      kind: "CspPolicySet",
      op: "update",
      id: zoneId,
      before: was,
      after: { zoneId, policies: { checkout: { ...old, action: "allow", value } }, others: "delete" },
      diff: {
        "policies.checkout.action": "update",
        minimumLogDays: "delete",
        others: "update",
        ...valueDiff,
      },
      recorded: { ...was, policyIds: { checkout: "0".repeat(32) } },
    });
    pulumi.previews(JSON.parse(step));
    const stacks = [...ids, "organization/fleet/gone"].map((name) => ({ name, resourceCount: 3 }));
    pulumi.lists([...stacks, { name: "empty", resourceCount: 0 }]);
    const flags = ["--zones", "zones.yaml", "--markdown", "review.md", "--html", "review.html"];
    const { code, out, err } = await pageGuard(["fleet", "preview", ...flags], { env: pulumi.env });
    assert.equal(code, 0, err + out);
    const files = ["review.md", "review.html"].map((file) => readFileSync(join(folder, file), "utf8"));
    for (const text of [out, ...files]) {
      assert.equal(text.match(/cdn-evil\.example/g)?.length, 1, text);
      assert.match(text, /the same in 2 zones/);
      assert.equal(text.match(/its name is not the name of a zone in the --zones file/g)?.length, 1, text);
      assert.match(text, /\bgone\b/);
      assert.doesNotMatch(text, /\bempty\b.*no zone in the --zones file/);
      assert.match(text, /By the colleagues.* deleted by CspPolicySet shop, 2 in 2 zones: /);
      const policy = '(?:"|&quot;)checkout(?:"|&quot;)';
      assert.match(
        text,
        new RegExp(`In 2 zones the policy ${policy} begins to block: a{32}, b{32}\\. The impact `),
      );
      assert.match(text, /In 2 zones 1 unmanaged policy will be deleted or overwritten: a{32}, b{32}\./);
    }
    assert.match(out, /: is 7\n +others: is keep; becomes delete\n.*action: is log; becomes allow/);
    const given = ["fleet", "preview", "--zones", "zones.yaml", "--json"];
    const json = await pageGuard(given, { env: pulumi.env });
    const { parts, names } = JSON.parse(json.out).review;
    assert.deepEqual([parts[1].entries[0].zones, Object.keys(names)], [ids, ids]);
  });
});
