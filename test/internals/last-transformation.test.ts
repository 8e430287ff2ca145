import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, PageGuardSettings, WafMigration } from "../../provider/src/index";
import { LastTransformation } from "../../provider/src/internals/last-transformation";
import { keepConsole } from "../declaration/support/kept-console";
import { type Registration, recordedRegistrations } from "../declaration/support/registrations";
import { zoneA, zoneB } from "../small-engine/zones";

const rule = { zoneId: zoneA, description: "", action: "log", expression: "true" } as const;
const plain = { ...rule, value: "script-src 'self'; object-src 'none'; base-uri 'self'" } as const;

/** Of a library that adds to what a resource is given, or takes something for it. */
function adding(props: object, opts: object = {}): pulumi.ResourceTransformation {
  return (declared) => ({ props: { ...declared.props, ...props }, opts: { ...declared.opts, ...opts } });
}

/** Of a library that forgets all that it was handed. */
function instead(props: object, opts: object = {}): pulumi.ResourceTransformation {
  return ({ opts: { parent } }) => ({ props, opts: { ...opts, ...(parent && { parent }) } });
}

function named(registrations: readonly Registration[], name: string): Registration {
  return registrations.find((one) => one.name === name) ?? assert.fail(`${name} was not registered`);
}

describe("Transformations of a program", () => {
  const { said } = keepConsole();

  it("are judged by what they make: an argument may come from one, of the resource or of a component around it", async () => {
    const registrations = await recordedRegistrations(() => {
      const house = new pulumi.ComponentResource(
        "house:index:Zone",
        "house",
        {},
        {
          transformations: [adding({ lint: "off", zoneId: zoneB })],
        },
      );
      new CspPolicy("inherits", Object({ ...plain, zoneId: undefined, value: "script-src *" }), {
        parent: house,
      });
      const own = { transformations: [instead({ zoneId: zoneA, enabled: true })] };
      new PageGuardSettings("own", Object({ enabeld: true }), own);
    });
    assert.deepEqual(said(), []);
    assert.equal(named(registrations, "inherits").inputs["zoneId"], zoneB);
    assert.equal(named(registrations, "own").inputs["enabled"], true);
    for (const name of ["inherits", "own"]) {
      const { inputs, urn } = named(registrations, name);
      assert.match(String(inputs["__provider"]), /runtime/);
      assert.equal(inputs["__urn"], urn);
    }
  });

  it("that break an argument get all that is declared with it refused, told with resource and property", async () => {
    let broken: CspPolicy | undefined;
    const registrations = await recordedRegistrations(() => {
      new PageGuardSettings("right", { zoneId: zoneA, enabled: true });
      broken = new CspPolicy("broken", plain, { transformations: [adding({ action: "block" })] });
    });
    assert.deepEqual(registrations, []);
    assert.match(said().join("\n"), /action: expected one of "log", .*got "block"/);
    await assert.rejects(promiseOf(broken?.id), /Failed to declare CspPolicy broken: /);
  });

  it("that make options of their own do not lead past the refusal", async () => {
    const registrations = await recordedRegistrations(() => {
      new CspPolicy("alone", plain, { transformations: [instead(plain, { dependsOn: [] })] });
      new PageGuardSettings("wrong", { zoneId: "abc", enabled: true });
    });
    assert.deepEqual(registrations, []);
  });

  it("may make an input secret: what repeats it is, too, and no finding quotes it", async () => {
    const hidden = { "script-src": ["https://hush.example.com", "'unsafe-inline'"] };
    const transformations = [adding({ directives: pulumi.secret(hidden) })];
    const [policy] = await recordedRegistrations(() => {
      new CspPolicy("policy", { ...rule, directives: { "script-src": ["'self'"] } }, { transformations });
    });
    assert.deepEqual(policy?.inputs["__secrets"], ["directives"]);
    assert.deepEqual(policy?.additionalSecrets, ["value"]);
    assert.match(said().join("\n"), /this value is secret/);
    assert.doesNotMatch(said().join("\n"), /hush|'unsafe-inline'/);
  });

  it("see what the program has given, and leave its objects as they are", async () => {
    const seen: unknown[] = [];
    const args = { zoneId: zoneA, enabled: true };
    const [one] = await recordedRegistrations(() => {
      const renames: pulumi.ResourceTransformation = ({ props, resource }) => {
        seen.push({ ...props }, PageGuardSettings.isInstance(resource));
        Reflect.set(props, "enabled", false);
        return undefined;
      };
      new PageGuardSettings("one", args, { transformations: [renames] });
    });
    assert.deepEqual(seen, [{ zoneId: zoneA, enabled: true }, true]);
    assert.equal(one?.inputs["enabled"], false);
    assert.equal(args.enabled, true);
  });

  it("are inherited by the children of a resource, each once", async () => {
    let calls = 0;
    const counts: pulumi.ResourceTransformation = () => {
      calls += 1;
      return undefined;
    };
    const registrations = await recordedRegistrations(() => {
      const parent = new PageGuardSettings(
        "parent",
        { zoneId: zoneA, enabled: true },
        { transformations: [counts] },
      );
      new CspPolicy("child", plain, { parent });
      new pulumi.ComponentResource("house:index:Part", "part", {}, { parent });
    });
    assert.equal(calls, 3);
    assert.deepEqual(
      registrations.map(({ name }) => name),
      ["child", "parent", "part"],
    );
    assert.equal(named(registrations, "child").inputs["__urn"], named(registrations, "child").urn);
  });

  it("can neither turn a migration to a zone that was not confirmed nor unprotect it", async () => {
    const migration = { zoneId: zoneA, stage: "finished", confirm: zoneA } as const;
    const moved = await recordedRegistrations(() => {
      new WafMigration("waf", migration, { transformations: [adding({ zoneId: zoneB })] });
    });
    assert.deepEqual(
      moved.map(({ name }) => name),
      ["waf"],
    );
    assert.match(said().join("\n"), new RegExp(`confirm: the migration cannot be undone.*${zoneB}`));
    const registrations = await recordedRegistrations(() => {
      const transformations = [adding({}, { protect: false })];
      new WafMigration("kept", migration, { transformations });
      new WafMigration("let-go", { ...migration, allowForget: true }, { transformations });
    });
    assert.equal(named(registrations, "kept-step").isProtected, true);
    assert.equal(named(registrations, "let-go-step").isProtected, false);
  });
});

function promiseOf(output: unknown): Promise<unknown> {
  return Reflect.get(Object(output), "promise").call(output);
}

it("In an SDK that keeps no list of them in the resource, our transformation is the first", () => {
  const word = new LastTransformation((props, options) => ({ props: { ...props, ours: true }, options }));
  const own = () => undefined;
  const [first, ...others] = word.within({ transformations: [own] }).transformations ?? [];
  assert.deepEqual(others, [own]);
  const resource = Object({});
  assert.deepEqual(first?.({ resource, type: "t", name: "n", props: { theirs: true }, opts: {} }), {
    props: { theirs: true, ours: true },
    opts: {},
  });
  word.end(resource);
});
