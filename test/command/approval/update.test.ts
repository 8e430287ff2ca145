import assert from "node:assert/strict";
import { Approving, csp } from "../support/approving";
import { useDesk, zoneId } from "../support/console";
import { diagnostic, step, urnOf } from "../support/events";

const urn = urnOf("csp");
const bucket = "urn:pulumi:dev::story::x:y:Bucket::bucket";

function ended(event: "resOutputsEvent" | "resOpFailedEvent", op: string, name: string, type = "x:y:Bucket") {
  const metadata = { op, urn: `urn:pulumi:dev::story::${type}::${name}`, type };
  return JSON.stringify({ [event]: { metadata } });
}

describe("The output of an update that page-guard apply runs", () => {
  const atDesk = useDesk();

  /** Runs apply with an update that prints this text, logs these events and ends with this code, or stops apply by a signal. */
  async function applied(
    printed: string,
    events: readonly string[],
    code: number | "a signal",
    approved: object = csp,
    ...beside: readonly string[]
  ) {
    const desk = await atDesk();
    desk.sim.zones.seed(zoneId, {});
    const story = new Approving(desk);
    await story.approves(step({ name: "csp", op: "create", after: { ...approved } }), ...beside);
    const log = events.map((line) => `${line}\n`).join("");
    const end = code === "a signal" ? "trap '' TERM; kill -TERM $PPID; sleep 0.3; exit 1" : `exit ${code}`;
    story.pulumi.ups(`cat <<'END'\n${printed}\nEND\ncat > "$log" <<'END'\n${log}END\n${end}`);
    return story.apply();
  }

  const rows =
    "@ updating....\n +  pulumi-nodejs:dynamic/page-guard:CspPolicy csp creating (0s) \n ~  x:y:Bucket bucket updating (1.5s) [diff: +acl,~policy]\n";
  const unseen = diagnostic("error", `expected resource operations for ${bucket} but none were seen`, bucket);

  it("given a success, then the whole output is shown", async () => {
    const { code, out } = await applied(`${rows}warning: of a program\nOutputs:\n  a: 1`, [], 0);
    assert.equal(code, 0);
    for (const part of [rows, "warning: of a program\n", "Outputs:\n  a: 1\n"])
      assert.ok(out.includes(part), out);
  });

  it("given a failure before the first event, then the whole output is shown", async () => {
    const { code, out } = await applied("error: no stack named 'dev' found", [], 255);
    assert.equal(code, 255);
    assert.match(out, /no stack named/);
  });

  it("given a violated plan, then only progress rows, names and completed changes are shown, and the exit code is 2 if the engine's message is known", async () => {
    const secret = "hush\n +  hush[\nhush: error [PG_X] hush";
    const text = `resource ${urn} violates plan: properties changed: ~~value[{&{{${secret}}}}!={${secret} action[}], ++other[{${secret}}]`;
    const printed = `${rows}Diagnostics:\n  CspPolicy (csp):\n    error: ${text}\n  ${secret}`;
    const { code, out, err } = await applied(
      printed,
      [
        ended("resOutputsEvent", "create", "story-dev", "pulumi:pulumi:Stack"),
        ended("resOutputsEvent", "create", "default", "pulumi:providers:x"),
        ended("resOutputsEvent", "same", "same"),
        ended("resOutputsEvent", "create", "a"),
        ended("resOutputsEvent", "delete-replaced", "b"),
        ended("resOutputsEvent", "update", "waf-step", "pulumi-nodejs:dynamic/page-guard:WafMigrationStep"),
        diagnostic("error", text, urn),
      ],
      255,
    );
    assert.equal(code, 2);
    assert.ok(out.startsWith(rows), out);
    assert.match(out, /other inputs for csp \(CspPolicy\): (action, )?value \(their values are not shown/);
    assert.match(out, /Done by then: created a \(Bucket\); deleted b \(Bucket\); updated waf \(WafM/);
    assert.doesNotMatch(out + err, /hush/);

    // The end of a value may look like a refusal of the provider, which would be shown.
    const alike = await applied(printed, [diagnostic("error", `${text} [remediation-refused]`, urn)], 255);
    assert.doesNotMatch(alike.out + alike.err, /hush/);

    const reworded = text.replace("violates plan", "is not as planned");
    const text2 = printed.replaceAll("violates plan", "is not as planned");
    const told = [diagnostic("error", reworded, urn), diagnostic("warning", `${secret} planned`, bucket)];
    const other = await applied(text2, [...told, diagnostic("info", "Adopted. [csp-adopted]", urn)], 255);
    assert.equal(other.code, 255);
    assert.doesNotMatch(other.out + other.err, /hush/);
    assert.match(other.err, /The engine's messages are not shown/);
    assert.doesNotMatch(other.out + other.err, /csp-adopted/, "other messages are omitted");
  });

  it("given resources that are not in the plan, then each is named", async () => {
    const unplanned = "create is not allowed by the plan: no steps were expected for this resource";
    const { code, out } = await applied("", [diagnostic("error", unplanned, urn), unseen], 255);
    assert.equal(code, 2);
    for (const name of ["csp \\(CspPolicy\\)", "bucket \\(Bucket\\)"])
      assert.match(out, new RegExp(`\n  the update does not follow the engine's plan for ${name}\n`));
    assert.match(out, /\nNothing was changed\./);
  });

  const failed = ended("resOpFailedEvent", "create", "a");
  const violated = diagnostic("error", "update is not allowed by the plan: no steps were expected", urn);
  const interrupt = JSON.stringify({
    stdoutEvent: { message: "^C received; cancelling. If you would like" },
  });
  for (const [why, events, expected, expectedText] of [
    ["a signal to pulumi itself", [interrupt], 1, /^error: the stack: update canceled$/m],
    ["a resource that failed", [failed], 1, /messages are not shown/],
    ["an error without a resource", [diagnostic("error", "no [PG_SERVICE]", urn)], 1, /no \[PG_SERVICE\]/],
    ["a signal", [], 1, /^error: the stack: update canceled$/m],
    ["a violation after a failed resource", [failed, violated], 2, /Done by then: tried to create a \(B/],
  ] as const)
    it(`given ${why}, so that the engine saw no operations for another resource, then apply exits with ${expected}`, async () => {
      const { code, out, err } = await applied(rows, [...events, unseen], why === "a signal" ? why : 1);
      assert.equal(code, expected, out + err);
      assert.match(out + err, expectedText);
      assert.doesNotMatch(out, /plan for bucket|Nothing was changed/);
    });

  it("given a provider that fails, of this package or another, then its message is shown, and apply exits with the same code", async () => {
    const { code, err } = await applied(
      "Diagnostics:",
      [
        ended("resOpFailedEvent", "create", "bucket"),
        diagnostic("error", "AccessDenied: no such role", bucket),
        diagnostic("error", "Failed to create it: 500 [PG_SERVICE]", urn),
        diagnostic("warning", "fewer hosts [csp-hidden-not-seen]", urn),
      ],
      1,
    );
    assert.equal(code, 1);
    assert.match(err, /^error: bucket \(Bucket\): AccessDenied: no such role$/m);
    assert.match(err, /^error: csp \(CspPolicy\): Failed to create it: 500 \[PG_SERVICE\]$/m);
    assert.match(err, /^warning: csp/m);
  });

  it("given an update that a signal has canceled, then apply says so", async () => {
    const { code, err } = await applied(rows, [diagnostic("error", "update canceled\n")], 1);
    assert.equal(code, 1);
    assert.match(err, /^error: the stack: update canceled$/m);
    assert.doesNotMatch(err, /messages of the engine are not shown/);
  });

  it("given a very long line that starts like a progress row, then it is processed quickly", async () => {
    const began = performance.now();
    const { code } = await applied(`+  ${"a:".repeat(84_000)}`, [], 0);
    assert.equal(code, 0);
    assert.ok(performance.now() - began < 20_000, "the time grows with the square of the line");
  });

  it("given events without a result, then it says that the engine ended early and how to unlock the stack", async () => {
    const events = [ended("resOutputsEvent", "create", "a")];
    const { code, err } = await applied("panic: fatal\n", events, 2);
    assert.equal(code, 1);
    assert.match(
      err,
      /The engine ended without a result: .* `pulumi cancel --stack dev`\. .* does not stop a running update/,
    );
    const whole = await applied("", [...events, JSON.stringify({ summaryEvent: { result: "failed" } })], 1);
    assert.doesNotMatch(whole.err, /without a result/);
  });

  it("given an input other than the approved one, then it names the input and exits with 2, also after a success", async () => {
    const open = { ...csp, action: "allow" };
    const success = JSON.stringify({ summaryEvent: { result: "succeeded" } });
    const other = await applied("", [step({ name: "csp", op: "create", after: open }), success], 0);
    assert.equal(other.code, 2);
    assert.match(
      other.out,
      /other than what was approved .*:\n {2}csp \(CspPolicy\) has a different action\n/,
    );
  });

  it("given a resource that is created, and whose old object an earlier replacement has left, then the inputs of the new one are compared", async () => {
    const left = step({ name: "csp", op: "delete-replaced", id: `${zoneId}/old`, before: { ...csp } });
    const created = step({ name: "csp", op: "create", after: { ...csp } });
    const success = JSON.stringify({ summaryEvent: { result: "succeeded" } });
    const { code, out, err } = await applied("", [created, left, success], 0, csp, left);
    assert.equal(code, 0, out + err);
  });
});
