import assert from "node:assert/strict";
import {
  component,
  type Declaration,
  entrypoint,
  exported,
  migration,
  policy,
  settings,
} from "./real-engine/declaration";
import { readPreview } from "./real-engine/preview";
import { useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";
import { runManaged, sharedZone } from "./real-engine/three-resources";

/** Wrong resources: one preview must show the finding of each, at its resource. */
const wrong: Declaration = {
  warnedOnly: policy({ zoneId: zoneA, value: "script-src 'unsafe-inline'" }),
  childOfIt: policy({ zoneId: "child" }, { parent: "warnedOnly" }),
  shortZone: settings({ zoneId: "abc123", enabled: true }),
  unknownArgument: settings({ zoneId: zoneA, enabeld: true, enabled: true } as object),
  emptyExpression: policy({ zoneId: zoneA, expression: " " }),
  both: policy({ zoneId: zoneA, value: "script-src 'self'", directives: { "script-src": ["'self'"] } }),
  unknownAction: policy({ zoneId: zoneA, action: "block" }),
  highFinding: policy({ zoneId: zoneA, value: "script-src *", lint: "error" }),
  twiceTheRef: entrypoint({
    zoneId: zoneA,
    rules: [
      { ...runManaged, ref: "x" },
      { ...runManaged, ref: "x" },
    ],
  }),
  otherZoneConfirmed: migration({ zoneId: zoneB, confirm: zoneA }),
  // The outputs of a refused resource add no message.
  zone: exported({ $output: ["shortZone", "zoneId"] }),
  policies: exported({
    $text: ["policies ", { $output: ["both", "policyId"] }, { $output: ["right", "id"] }],
  }),
};

/** A component in a component, with wrong resources in it. */
const wrongWithin: Declaration = {
  shop: component(),
  pages: component({ parent: "shop" }),
  wrong: settings({ zoneId: "abc", enabled: true }, { parent: "pages" }),
  child: policy({ zoneId: zoneA, action: "block" }, { parent: "wrong" }),
  loose: policy({ zoneId: zoneA, value: "script-src 'unsafe-inline' *" }, { parent: "pages" }),
  imported: policy({ zoneId: zoneA }, { import: `${zoneA}/1`, parent: "shop" }),
};

const warned: Readonly<Record<string, RegExp>> = {
  warnedOnly: /warning: value: .*unsafe-inline/,
  childOfIt: /zoneId: expected a zone id \(32 hexadecimal characters\), got "child"/,
  shortZone:
    /zoneId: expected a zone id \(32 hexadecimal characters\), got "abc123"\. The dashboard shows the id/,
  unknownArgument: /enabeld: this resource has no such argument\. Did you mean enabled\?/,
  emptyExpression: /expression: the expression is empty\. Say which requests are meant/,
  both: /directives: both value and directives are given/,
  unknownAction: /action: expected one of "log", "allow", "add_reporting_directives", got "block"/,
  highFinding: /value: .*high\)/,
  twiceTheRef: /rules\[1\]\.ref: "x" is already the ref of rules\[0\]/,
  "otherZoneConfirmed-step": new RegExp(
    `confirm: the migration cannot be undone.* Write confirm: "${zoneB}"`,
  ),
  wrong: /zoneId: expected a zone id/,
  child: /action: expected one of "log", "allow", "add_reporting_directives"/,
  loose: /unsafe-inline/,
  imported: /the option import does not work .* leave it out.* is adopted/,
};

describe("On the engine: bad input", function () {
  const begin = useStories(this);

  it("given wrong resources, some in components, and a valid one, when the program is previewed or applied, then every finding is shown at its resource, and no request is sent", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone, [zoneB]: zoneWithPolicy });
    stack.declare({ right: policy({ zoneId: zoneA }), ...wrong, ...wrongWithin });
    const output = await stack.upFails();
    const preview = await stack.run("preview", "--json");
    assert.notEqual(preview.code, 0);
    const { messages } = readPreview(preview);
    const inPreview = (name: string) =>
      messages
        .filter((message) => message.name === name)
        .map(({ severity, text }) => `${severity}: ${text}`)
        .join("\n");
    for (const [name, message] of Object.entries(warned)) {
      assert.match(findDiagnostics(output, name), message, `${name} in:\n${output}`);
      assert.match(inPreview(name), message, `${name} in:\n${preview.output}`);
    }
    const shown = messages.map(({ text }) => text).join("\n");
    assert.match(output, /No zone was changed/);
    assert.match(shown, /Nothing was changed/);
    for (const all of [output, shown]) {
      assert.doesNotMatch(all, /\n\s+at /, "no stack trace");
      assert.doesNotMatch(all, /RejectionHandledWarning|unhandled/i);
    }
    assert.match(
      preview.stdout,
      /story:index:Component\$story:index:Component\$[\w:/-]+PageGuardSettings\$[\w:/-]+CspPolicy::child"/,
    );
    assert.equal(sim.journal.length, 0);
    assert.deepEqual(stack.resources(), []);
  });
});

/** The diagnostics that the CLI prints for the resource. */
function findDiagnostics(output: string, name: string): string {
  const lines = output.slice(output.indexOf("Diagnostics:")).split("\n");
  const start = lines.findIndex(
    (line) => line.trimStart().startsWith("pulumi-nodejs:") && line.includes(`(${name})`),
  );
  if (start < 0) return "";
  const end = lines.findIndex((line, index) => index > start && /^ {2}\S/.test(line));
  return lines.slice(start, end < 0 ? undefined : end).join("\n");
}
