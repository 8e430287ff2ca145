import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import * as pageGuard from "../../../provider/src";
import { PageGuardResource } from "../../../provider/src/declaration/page-guard-resource";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { each } from "../../support/each";
import { zoneA } from "../small-engine/zones";
import { runAlone } from "./support/fake-engine";
import { keepConsole } from "./support/kept-console";
import { recordedRegistrations } from "./support/registrations";

const { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration } = pageGuard;
const summary = /Failed to declare PageGuardSettings wrong: 2 problems/;

describe("A batch of resources that a program declares in one turn", () => {
  const { said } = keepConsole();
  const logging = { description: "", action: "log", expression: "true" };

  it("is refused as a whole if any resource is wrong: nothing is registered, and each finding is reported", async () => {
    const registrations = await recordedRegistrations(() => {
      watch("right");
      wrong("wrong");
      new CspPolicy("csp", Object({ zoneId: zoneA, ...logging }));
      watch("last");
    });
    assert.deepEqual(registrations, []);
    assert.equal(said().length, 3);
    assert.match(said().join("\n"), /zoneId: expected a zone id \(32 hexadecimal characters\), got "abc"/);
    assert.match(said().join("\n"), /neither value nor directives is given/);
  });

  it("reports all faults of a resource at once, and does not also report a misspelt argument as missing", async () => {
    await recordedRegistrations(() => {
      const directives = { "script-scr": ["'self'"] };
      new CspPolicy("csp", Object({ ...logging, zoneId: "abc", action: "block", directives }));
    });
    const shown = ["zoneId", "action", "directives"];
    for (const name of shown) assert.match(said().join("\n"), new RegExp(`^.*${name}: `, "m"));
    assert.match(said().join("\n"), /Did you mean script-src\?/);
    const before = said().length;
    await recordedRegistrations(() => {
      const policies = {
        typo: { action: "log", expression: "true", vlaue: "script-src 'self'" },
        empty: { action: "log", expression: "true" },
      };
      new CspPolicySet("set", Object({ zoneId: zoneA, policies }));
      new CspPolicy("csp", Object({ zoneId: zoneA, ...logging, vlaue: "x" }));
      new WafMigration("waf", Object({ zoneId: zoneA, stage: "done", confirm: "yes" }));
    });
    assert.deepEqual(
      said()
        .slice(before)
        .map((text) => /^error: \[runtime\] (\S*?): .*\[([\w-]+)\]$/s.exec(text)?.slice(1).join(" ") ?? text)
        .sort(),
      [
        "confirm migration-not-confirmed",
        "policies.empty csp-value-or-directives",
        "policies.typo input-invalid",
        "stage input-invalid",
        "vlaue input-unknown-argument",
      ],
    );
  });

  it("is refused if it declares an exact set and other policies of the same zone, in either order", async () => {
    const content = { action: "log", expression: "true", value: "script-src 'self'" } as const;
    const exact = (zoneId: string) =>
      new CspPolicySet("exact", { zoneId, policies: { a: content }, others: "delete" });
    const single = () => new CspPolicy("single", { zoneId: zoneA, description: "b", ...content });
    const other = () => new CspPolicySet("other", { zoneId: zoneA.toUpperCase(), policies: {} });
    // A kind that was added later. The rule depends only on which objects of a zone it manages.
    const kind = { name: "CspNote", load: () => ({ ...cspPolicy, name: "CspNote" }) };
    const note = () =>
      Reflect.construct(PageGuardResource, [kind, "note", { zoneId: zoneA, description: "c", ...content }]);
    for (const rival of [single, other, note])
      for (const isFirst of [true, false]) {
        const before = said().length;
        const registrations = await recordedRegistrations(() => {
          if (isFirst) exact(zoneA);
          rival();
          if (!isFirst) exact(zoneA);
        });
        assert.deepEqual(registrations, []);
        const told = said().slice(before).join("\n");
        assert.match(told, /exact .*\b(?:single|other|note)\b.*\[csp-set-not-alone\]/);
      }
    const registrations = await recordedRegistrations(() => {
      exact("b".repeat(32));
      single();
    });
    assert.equal(registrations.length, 2);
  });

  it("is refused with a message if a JavaScript program passes no arguments, or null", async () => {
    for (const kind of [PageGuardSettings, CspPolicy, CspPolicySet, ManagedWafEntrypoint, WafMigration])
      for (const nothing of [undefined, null]) {
        const before = said().length;
        await recordedRegistrations(() => Reflect.construct(kind, ["bare", nothing]));
        const told = said().slice(before).join("\n");
        assert.match(told, /zoneId: expected a zone id .*, got nothing/, kind.name);
      }
  });

  it("names the component that the program declares, not the component's child, in its error", async () => {
    let made: unknown;
    await recordedRegistrations(() => {
      new WafMigration("move", Object({ zoneId: zoneA, stage: "done", confirm: zoneA }));
      made = wrong("wrong").zoneId;
    });
    await assert.rejects(promiseOf(made), /Failed to declare WafMigration move, PageGuardSettings wrong: /);
  });

  it("does not prevent resources of later turns, if it is refused, and says that no zone was changed only in the first turn", async () => {
    const turns: pulumi.Output<string>[] = [];
    const registrations = await recordedRegistrations(() => {
      turns.push(wrong("first").id);
      setImmediate(() => {
        watch("between");
        setImmediate(() => turns.push(wrong("last").id));
      });
    });
    assert.deepEqual(each(registrations, "name"), ["between"]);
    for (const [index, expected] of [
      / first: .* No zone was changed\. \[program-refused\]$/,
      / last: (?!.*No zone was changed).* \[program-refused\]$/,
    ].entries())
      await assert.rejects(promiseOf(turns[index]), expected);
  });

  it("does not check the arguments of a resource with the option urn, which the engine reads from the state", async () => {
    const urn = `urn:pulumi:stack::project::${CspPolicy.__pulumiType}::there`;
    await recordedRegistrations(() => {
      new CspPolicy("there", Object({}), { urn });
    });
    assert.deepEqual(said(), []);
  });

  it("rejects the promise of every output with the same error, also of resources that are right", async () => {
    let made: readonly pulumi.CustomResource[] = [];
    await recordedRegistrations(() => {
      made = [wrong("wrong"), watch("right")];
    });
    for (const resource of made) {
      const outputs = Object.entries(resource).filter(([, value]) => pulumi.Output.isInstance(value));
      assert.ok(outputs.length >= 6);
      for (const [name, output] of outputs) {
        const isOurs = (error: unknown) => pulumi.RunError.isInstance(error) && summary.test(error.message);
        await assert.rejects(promiseOf(output), isOurs, name);
      }
    }
  });

  it("causes no unhandled rejection: neither of unused outputs nor of outputs that a component registers", async () => {
    const unheard: unknown[] = [];
    const note = (reason: unknown): void => void unheard.push(reason);
    process.prependListener("unhandledRejection", note);
    try {
      await recordedRegistrations(() => {
        new Shop("shop");
        new WafMigration("move", { zoneId: "abc", stage: "finished", confirm: "abc" });
        const parent = wrong("wrong");
        watch("child", { parent });
        watch("after", { dependsOn: [parent] });
        new ManagedWafEntrypoint("waf", { zoneId: parent.zoneId, rules: [] });
      });
      await wait(50);
      await nextTurn();
    } finally {
      process.off("unhandledRejection", note);
    }
    assert.deepEqual(unheard, []);
  });

  it("rejects values that are derived from an output with the same error", async () => {
    let made: pulumi.Output<string> | undefined;
    await recordedRegistrations(() => {
      const { id, updatedAt } = wrong("wrong");
      made = pulumi.interpolate`${id} of ${updatedAt}`;
      promiseOf(made).catch(() => undefined);
      for (const part of ["isKnown", "isSecret"]) Promise.resolve(Reflect.get(made, part)).catch(() => 0);
    });
    await assert.rejects(promiseOf(made), summary);
  });
});

class Shop extends pulumi.ComponentResource {
  readonly policyId: pulumi.Output<string>;

  constructor(name: string) {
    super("test:index:Shop", name);
    const settings = wrong("inner", { parent: this });
    const content = {
      description: "",
      action: "log",
      expression: "true",
      value: "script-src 'self'",
    } as const;
    const policy = new CspPolicy("policy", { zoneId: settings.zoneId, ...content }, { parent: this });
    this.policyId = policy.policyId;
    this.registerOutputs({ policyId: this.policyId, zoneId: settings.zoneId });
  }
}

function watch(name: string, options?: pulumi.CustomResourceOptions) {
  return new PageGuardSettings(name, { zoneId: zoneA, enabled: true }, options);
}

function wrong(name: string, options?: pulumi.CustomResourceOptions) {
  const enabled: unknown = "yes";
  return new PageGuardSettings(name, Object({ zoneId: "abc", enabled }), options);
}

/** Returns the internal promise of an output, which tests of stacks also use, because there is no public one. */
function promiseOf(output: unknown): Promise<unknown> {
  const promise: unknown = Reflect.get(Object(output), "promise");
  assert.ok(typeof promise === "function");
  return promise();
}

describe("A program in its own process", () => {
  it("that is refused reports so, without a warning about promises that were handled late", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-alone-"));
    try {
      symlinkSync(join(__dirname, "../../../node_modules"), join(folder, "node_modules"));
      const { registered, isTold, errors, outcome, code } = await runAlone(
        folder,
        `const pulumi = require("@pulumi/pulumi");
const { PageGuardSettings } = require("pulumi-page-guard");
const { id } = new PageGuardSettings("wrong", { zoneId: "abc", enabled: true });
exports.applied = id.apply((text) => text);
exports.text = pulumi.interpolate\`zone \${id}\`;
exports.both = pulumi.all([id, id]);
`,
      );
      assert.deepEqual([registered, isTold, outcome], [[], false, ""]);
      assert.match(errors.join("\n"), /Failed to declare PageGuardSettings wrong: 1 problem/);
      assert.notEqual(code, 0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
