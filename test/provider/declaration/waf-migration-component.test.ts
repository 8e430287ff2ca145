import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as settings from "@pulumi/pulumi/runtime/settings";
import { WafMigration, type WafMigrationArgs } from "../../../provider/src";
import { each } from "../../support/each";
import { zoneA } from "../small-engine/zones";
import { keepConsole } from "./support/kept-console";
import { type Registration, recordedRegistrations } from "./support/registrations";

/** Hooks that the component registers with the engine. */
const hooks: pulumi.ResourceHook[] = [];

const args = { zoneId: zoneA, stage: "finished", confirm: zoneA } as const;

async function register(
  more: Partial<WafMigrationArgs>,
  options?: pulumi.ComponentResourceOptions,
): Promise<{ component: Registration | undefined; step: Registration | undefined }> {
  hooks.length = 0;
  const all = await recordedRegistrations(() => {
    new WafMigration("waf", { ...args, ...more }, options);
  });
  const named = (name: string) => all.find((registration) => registration.name === name);
  return { component: named("waf"), step: named("waf-step") };
}

describe("The component of a migration", () => {
  keepConsole();
  const { getCallbacks } = settings;

  before("replace the callback server, because mocks do not support hooks", () => {
    const registerResourceHook = async (hook: pulumi.ResourceHook) => void hooks.push(hook);
    Reflect.set(settings, "getCallbacks", () => ({ registerResourceHook }));
  });
  after(() => Reflect.set(settings, "getCallbacks", getCallbacks));

  it("is protected, whatever its options say, unless the program sets allowForget", async () => {
    for (const [allowForget, options, expected] of [
      [undefined, undefined, true],
      [false, { protect: false }, true],
      [true, undefined, false],
      [true, { protect: true }, true],
      [true, { protect: false }, false],
    ] as const) {
      const { component } = await register({ ...(allowForget !== undefined && { allowForget }) }, options);
      assert.equal(component?.isProtected, expected, JSON.stringify([allowForget, options]));
    }
  });

  it("passes the program's inputs to its step, except those that only the component uses", async () => {
    const connection = { tokenEnv: "WAF_TOKEN" };
    const ruleOverrides = [{ rulesetId: "m", ruleId: "r", action: "log" }];
    const passed = { ruleOverrides, timeoutMinutes: 5, connection };
    const { component, step } = await register({ ...passed, deleteHook: true });
    assert.equal(component?.type, "page-guard:index:WafMigration");
    assert.ok(step?.urn.includes(`${component?.type}$pulumi-nodejs:dynamic/page-guard:WafMigrationStep`));
    const { __provider, __urn, ...declared } = step?.inputs ?? {};
    const given = Object.entries(declared).filter(([, value]) => value !== undefined && value !== null);
    assert.deepEqual(Object.fromEntries(given), { ...args, ...passed });
    const { step: open } = await register({ allowForget: true });
    assert.equal(open?.inputs["allowForget"], true);
  });

  it("adds a hook to the deletion of its step if deleteHook is set and allowForget is not, and the hook says how to release the migration", async () => {
    for (const [more, expected] of [
      [{}, []],
      [{ deleteHook: true }, ["page-guard-refuse-delete-waf"]],
      [{ deleteHook: true, allowForget: true }, []],
      [{ deleteHook: false }, []],
    ] as const) {
      const { step } = await register(more);
      assert.deepEqual(step?.beforeDelete, expected, JSON.stringify(more));
      assert.deepEqual(each(hooks, "name"), expected);
    }
    await register({ deleteHook: true });
    const [hook = assert.fail()] = hooks;
    assert.equal(hook.opts?.onDryRun, true, "the hook runs in the preview too");
    assert.throws(
      () => hook.callback({ urn: "urn:of:the:step", id: "", name: "waf-step", type: "" }),
      /^Error: .* cannot be undone, .* 'urn:of:the:step'` .*\[migration-destroy\]$/,
    );
  });

  it("has the outputs of its step", async () => {
    let outputs: Record<string, pulumi.Output<unknown>> = {};
    await recordedRegistrations(() => {
      outputs = Object(new WafMigration("waf", args));
    });
    const names = [
      "compatible",
      "migrationState",
      "configuration",
      "status",
      "startedAt",
      "finishedAt",
      "before",
    ];
    for (const name of names) assert.ok(pulumi.Output.isInstance(outputs[name]), name);
    assert.equal(await new Promise((resolve) => outputs["zoneId"]?.apply(resolve)), zoneA);
  });
});
