import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../provider/src/api/clock";
import { migration, policy, settings } from "../real-engine/declaration";
import { useStories, zoneA, zoneB } from "../real-engine/story";
import { Pipeline } from "./support/pipeline";

describe("On the engine: an apply of what was approved, or of nothing", function () {
  const begin = useStories(this);
  const value = "script-src 'self'; object-src 'none'; base-uri 'self'";
  const quiet = { scripts: 0, connections: 0, cookies: 0 };

  it("given an approval, when zone, program or state are others by then, then nothing is changed and it says what; when they are not, then it is applied", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet, [zoneB]: quiet });
    const pipeline = new Pipeline(stack);
    const declared = {
      watch: settings({ zoneId: zoneA, enabled: true }),
      csp: policy({ zoneId: zoneB, value }),
    };
    stack.declare(declared);
    await pipeline.approve();
    const requests = sim.changing().length;

    // A colleague edits a zone between approval and apply.
    const added = sim.dashboard.putPolicy(zoneB, { description: "by a colleague", expression: "true" });
    assert.match(
      await pipeline.refuses(),
      new RegExp(`zone ${zoneB}: the policy "by a colleague" \\(${added.id}\\) is new`),
    );
    sim.dashboard.deletePolicy(zoneB, added.id);

    // The program becomes another one.
    stack.declare({
      ...declared,
      csp: policy({ zoneId: zoneB, value, action: "allow", impact: "off" }),
      more: policy({ zoneId: zoneA, value }),
    });
    const other = await pipeline.refuses();
    assert.match(other, /to create csp \(CspPolicy\): the program declares action "allow" in place of "log"/);
    assert.match(other, /to create more \(CspPolicy\) was not approved/);
    stack.declare(declared);
    assert.equal(sim.changing().length, requests);

    // All is as it was.
    const said = await pipeline.applies();
    assert.match(said, /As approved \(.*\): 2 to create; 2 zones hold what was approved/);

    // A second apply of the same file: done already.
    assert.match(await pipeline.refuses(), /to create csp \(CspPolicy\) has become needless/);
    await pipeline.applies("--allow", "no-change");

    // An update is approved, and the state gets lost.
    stack.declare({ ...declared, csp: policy({ zoneId: zoneB, value: `${value}; form-action 'self'` }) });
    await pipeline.approve();
    rmSync(join(stack.place.backend, ".pulumi/stacks/story"), { recursive: true });
    await stack.run("stack", "init");
    assert.match(await pipeline.refuses(), /to create csp \(CspPolicy\), approved was to update it/);
  });

  it("given zones that move between the comparison and the first change, then the provider process leaves them alone and names what it did elsewhere", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet, [zoneB]: quiet });
    const pipeline = new Pipeline(stack);
    stack.declare({
      here: policy({ zoneId: zoneA, value }),
      there: policy({ zoneId: zoneB, value: { $secret: value } }, { dependsOn: ["here"] }),
    });
    await pipeline.approve();
    const approved = readFileSync(pipeline.file, "utf8");
    assert.ok(
      !approved.slice(approved.indexOf(zoneB)).includes("object-src 'none'"),
      "a secret is in the file",
    );

    // Right after the first change of the update, in the other zone.
    const takeBack = sim.onProcessed(({ method }) => {
      if (method === "POST") sim.dashboard.putPolicy(zoneB, { description: "late", expression: "true" });
      return undefined;
    });
    const { code, out, err } = await pipeline.apply();
    takeBack();
    assert.equal(code, 1, out + err);
    assert.match(out + err, /The zone is not as it was approved: the policy \([0-9a-f]{32}\) is new\./);
    assert.match(out + err, /Done before in this run: CspPolicy here of zone a0a1\w+ created\./);
    assert.deepEqual(
      sim.zone(zoneB).policies.map(({ description }) => description),
      ["late"],
    );

    // Approved anew; then the secret becomes another one, which nobody could see.
    await pipeline.approve();
    const other = {
      ...{ here: policy({ zoneId: zoneA, value }) },
      there: policy(
        { zoneId: zoneB, value: { $secret: `${value}; form-action 'self'` } },
        { dependsOn: ["here"] },
      ),
    };
    stack.declare(other);
    assert.match(await pipeline.refuses(), /the secret input value of there has another value/);
    assert.ok(!stack.said.includes("form-action"), "a secret was shown");
    await pipeline.approve();
    await pipeline.applies();
  });

  it("given a zone that is not known yet, and a migration, then neither begins without having been approved by name", async () => {
    const enterprise = { ...quiet, plan: "enterprise", waf: {} } as const;
    const { sim, stack } = await begin({ [zoneA]: quiet, [zoneB]: enterprise });
    const pipeline = new Pipeline(stack);
    const watch = settings({ zoneId: zoneA, enabled: true });
    const expression = { $text: ['http.host eq "', { $output: ["csp", "policyId"] }, '"'] };
    const csp = policy({ zoneId: { $text: [{ $output: ["watch", "id"] }] }, value });
    const after = policy({ zoneId: zoneA, description: "after", value, expression });
    stack.declare({ watch, csp, after });
    await pipeline.approve();
    assert.match(await pipeline.refuses(), /the zone of csp is not known before something else is made/);
    await pipeline.applies("--allow", "unknown-zone");
    assert.equal(sim.zone(zoneA).policies.length, 2);

    // The approved file has the validation, the program wants the finish by now.
    const stage = (name: string) => migration({ zoneId: zoneB, confirm: zoneB, stage: name });
    stack.declare({ watch, csp, after, waf: stage("validation") });
    await pipeline.approve();
    stack.declare({ watch, csp, after, waf: stage("finished") });
    assert.match(await pipeline.refuses(), /the program declares stage "finished" in place of "validation"/);
    // Past the command, too: the provider process itself does not begin it.
    stack.env["PAGE_GUARD_APPROVED"] = pipeline.file;
    assert.match(await stack.upFails(), /migration to stage "finished" is not in what was approved/);
    assert.deepEqual(
      sim.changing().filter(({ path }) => path.includes("entrypoint")),
      [],
    );
    stack.declare({ watch, csp, after, waf: stage("validation") });
    await stack.up();
  });

  it("given two applies at once, then the second one waits for the lock, compares anew, and changes nothing", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet });
    const pipeline = new Pipeline(stack);
    stack.declare({ csp: policy({ zoneId: zoneA, value }) });
    await pipeline.approve();
    let second: ReturnType<Pipeline["apply"]> | undefined;
    let isLocked = (): void => undefined;
    const locked = new Promise<void>((settle) => {
      isLocked = settle;
    });
    const waits: number[] = [];
    const clock = {
      ...systemClock,
      schedule(ms: number, callback: () => void) {
        waits.push(ms);
        isLocked();
        void first.then(callback);
        return () => undefined;
      },
    };
    // The first one stands still in the midst of its change until the second one has met its lock.
    const takeBack = sim.onRequest(({ method }) => {
      if (method !== "POST") return undefined;
      takeBack();
      second = pipeline.apply(["--wait", "5"], { clock });
      return locked.then(() => undefined);
    });
    const first = pipeline.apply();
    assert.equal((await first).code, 0, (await first).out);
    const ended = await second;
    assert.equal(ended?.code, 2, `${ended?.out}${ended?.err}`);
    assert.match(ended?.err ?? "", /The stack is locked by \S+@\S+, process \d+, for \d+ s\. Waiting/);
    assert.match(ended?.out ?? "", /to create csp \(CspPolicy\) has become needless/);
    assert.deepEqual(waits, [10_000]);
    assert.equal(sim.changing().length, 1);
  });
});
