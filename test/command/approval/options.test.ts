import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ComponentResourceOptions, CustomResourceOptions } from "@pulumi/pulumi";
import { notInState } from "../../../command/src/approval/carried-out";
import { comparedOptions } from "../../../command/src/preview/options";
import { Approving, csp } from "../support/approving";
import { useDesk, zoneId } from "../support/console";
import { step, urnOf } from "../support/events";

type Name = keyof CustomResourceOptions | keyof ComponentResourceOptions;

describe("The table of resource options", () => {
  it("lists every option of Pulumi, and names apply for exactly the options that the code compares", () => {
    // The type has Pulumi's names, so this does not compile if an option is missing or no longer exists.
    const all: Readonly<Record<Name, true>> = {
      additionalSecretOutputs: true,
      aliases: true,
      customTimeouts: true,
      deleteBeforeReplace: true,
      deletedWith: true,
      dependsOn: true,
      envVarMappings: true,
      hideDiffs: true,
      hooks: true,
      id: true,
      ignoreChanges: true,
      import: true,
      parent: true,
      pluginDownloadURL: true,
      protect: true,
      provider: true,
      providers: true,
      replaceOnChanges: true,
      replaceWith: true,
      replacementTrigger: true,
      retainOnDelete: true,
      transformations: true,
      transforms: true,
      urn: true,
      version: true,
    };
    const page = readFileSync("docs/commands/apply.md", "utf8");
    const table = /^\| (`\w+`(?:, `\w+`)*) \| (plan|apply|nothing) \| (?:`(test\/.*)`|none: .*) \|$/gm;
    const rows = [...page.matchAll(table)].flatMap(([, names = "", by = "", file]) =>
      names.split(", ").map((name) => ({ name: name.replaceAll("`", ""), by, file })),
    );
    assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(all).sort());
    const compared = rows.flatMap(({ name, by }) => (by === "apply" ? [name] : []));
    assert.deepEqual(compared, Object.keys(comparedOptions));
    for (const { name, file } of rows)
      assert.ok(file === undefined || readFileSync(file, "utf8").includes(name), `${file} tests ${name}`);
  });
});

describe("Resource options and approvals", () => {
  const open = useDesk();
  const urn = urnOf("csp");
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const approved = { urn, deletedWith: urnOf("other"), replacementTrigger: unknown, protect: true };

  async function begin(): Promise<Approving> {
    const desk = await open();
    desk.sim.zones.seed(zoneId, {});
    const story = new Approving(desk);
    story.pulumi.digests([{ op: "create", urn, oldState: null, newState: approved }]);
    await story.approves(step({ name: "csp", op: "create", after: { ...csp } }));
    return story;
  }

  it("given a preview without steps, then the approval says whether an option or an input changes in the state", async () => {
    const story = new Approving(await open());
    const old = { urn, id: "1", inputs: { ...csp }, outputs: {}, sourcePosition: "project:///index.js#1" };
    const now = { urn, inputs: { ...csp }, sourcePosition: "project:///index.js#7" };
    const cases: readonly (readonly [newState: object, isStateKept: boolean])[] = [
      [now, true],
      [{ ...now, protect: true }, false],
      [{ ...now, retainOnDelete: true }, false],
      [{ ...now, inputs: { ...csp, connection: { tokenEnv: "OTHER" } } }, false],
    ];
    for (const [newState, isStateKept] of cases) {
      story.pulumi.digests([{ op: "same", urn, oldState: old, newState }]);
      const same = step({ name: "csp", op: "same", before: { ...csp }, after: { ...csp } });
      assert.equal((await story.approves(same)).isStateKept, isStateKept, JSON.stringify(newState));
    }
  });

  it("given a refresh, also of an object that an earlier run replaced, then only options that the program declares are approved", async () => {
    const story = new Approving(await open());
    const live = { urn, retainOnDelete: true };
    const left = { urn, delete: true, replaceOnChanges: ["value"] };
    story.pulumi.digests([
      { op: "refresh", urn, oldState: live, newState: live },
      { op: "refresh", urn, oldState: left, newState: left },
      { op: "update", urn, oldState: live, newState: { urn, hideDiff: ["value"] } },
    ]);
    const { options } = await story.approves(step({ name: "csp", op: "same", before: csp, after: csp }));
    assert.deepEqual(options, { [urn]: { hideDiffs: ["value"] } });
  });

  it("given a state with another spelling of an approved policy, such as after a refresh, then it is as approved; another meaning is not", () => {
    const type = "pulumi-nodejs:dynamic/page-guard:CspPolicySet";
    const inputs = (value: string) => ({ zoneId, policies: { a: { ...csp, value } } });
    const steps = [
      { urn, type, op: "create", after: inputs("script-src 'self' a.x; img-src *"), unknown: [] },
    ];
    const others = (value: string) =>
      notInState({ steps, plan: "{}" }, [{ urn, type, inputs: inputs(value) }]);
    assert.deepEqual(others("img-src *;  script-src a.x 'self'"), []);
    assert.equal(others("script-src 'self'; img-src *").length, 1);
  });

  /** Makes the update end with this code and leave these resources in the state. */
  function ends(story: Approving, code: number, resources: readonly object[]): void {
    const done = { metadata: { op: "create", urn, type: "x" } };
    story.pulumi.ups(`echo '${JSON.stringify({ resOutputsEvent: done })}' > "$log"\nexit ${code}`);
    story.pulumi.exports(JSON.stringify({ version: 3, deployment: { resources } }));
  }

  it("given a state as approved, or with values that were unknown at the approval, then apply succeeds", async () => {
    const story = await begin();
    const left = { ...approved, deletedWith: undefined, delete: true };
    ends(story, 0, [left, { ...approved, replacementTrigger: "now", retainOnDelete: false }]);
    assert.match(await story.applies(), /As approved/);
  });

  it("given other options in the state, or a state that cannot be exported, then apply exits with 2 and says so, even after a failed update", async () => {
    const story = await begin();
    for (const code of [0, 1]) {
      ends(story, code, [{ urn, hideDiff: [["value"]] }]);
      const { code: ended, out } = await story.apply();
      assert.equal(ended, 2);
      assert.match(
        out,
        /\n {2}csp \(CspPolicy\): the option deletedWith is none, but "\S+::other" was approved\n/,
      );
      assert.match(
        out,
        /\n {2}csp \(CspPolicy\): the option hideDiffs is \[\["value"\]\], but none was approved\n/,
      );
      assert.match(out, /Declare the option as it was approved/);
    }
    story.pulumi.exports("no state");
    const { code, out } = await story.apply();
    assert.equal(code, 2);
    assert.match(out, /the state cannot be exported, so the resource options were not compared/);
  });

  it("given a preview that does not show the options, then nothing is approved, and the message says why", async () => {
    const story = await begin();
    story.pulumi.digests("error: busy");
    assert.match((await story.review()).err, /Failed to approve: the second preview, .*, failed/);
  });

  it("given a deletion of a policy and of the resource that its deletedWith names, then the review says that the policy stays; if only the policy is deleted, that it is deleted", async () => {
    const story = await begin();
    const policies = ["csp", "other"].map((description) => ({ ...csp, description }));
    story.desk.sim.zones.seed(zoneId, { policies });
    const live = story.desk.sim.zone(zoneId).policies;
    const policyOf = (name: string) => {
      const policyId = live.find(({ description }) => description === name)?.id ?? "";
      const recorded = { ...csp, description: name, policyId };
      return step({ name, op: "delete", id: `${zoneId}/${policyId}`, before: { ...csp }, recorded });
    };
    const state = { version: 3, deployment: { resources: [approved, { urn: urnOf("other") }] } };
    story.pulumi.exports(JSON.stringify(state));
    story.previews(policyOf("csp"), policyOf("other"));
    const both = (await story.review()).out;
    assert.match(both, /: 1 policy to leave unmanaged in the zone, 1 policy to delete/);
    assert.match(both, /option deletedWith, and CspPolicy other is deleted, too\. .* stays in the zone/);
    story.previews(policyOf("csp"));
    assert.match((await story.review()).out, /: 1 policy to delete/);
    // The engine deletes what is left of a replacement last, unless the option deleteBeforeReplace is set.
    const other = (op: string) => step({ name: "other", op, before: { ...csp }, after: { ...csp } });
    const ops = ["create-replacement", "replace", "delete-replaced"];
    story.previews(policyOf("csp"), ...ops.map(other));
    assert.match((await story.review()).out, /1 policy to leave unmanaged in the zone/);
    story.previews(policyOf("csp"), ...ops.reverse().map(other));
    assert.doesNotMatch((await story.review()).out, /unmanaged/);
    story.pulumi.exports("no state");
    story.previews(policyOf("csp"), policyOf("other"));
    const { out } = await story.review(["--markdown", "-", "--", "pulumi", "preview"]);
    assert.match(out, /The state could not be read/);
  });
});
