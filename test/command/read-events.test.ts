import assert from "node:assert/strict";
import { secretValue, unknownValue } from "../../command/src/preview/preview-read";
import { readEvents } from "../../command/src/preview/read-events";
import { diagnostic, secretInEvent, stackStep, step, summary, urnOf } from "./support/events";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("The reader of the engine's events", () => {
  it("reads an update with its changed properties, sorted by name, without secrets and unknown values", () => {
    const { steps, stack, project, result } = readEvents([
      stackStep(),
      step({
        name: "checkout",
        op: "update",
        id: `${zoneId}/p`,
        before: { zoneId, value: secretInEvent, expression: "a", directives: { "script-src": ["'self'"] } },
        after: {
          zoneId,
          value: secretInEvent,
          expression: unknown,
          directives: { "script-src": ["a", "b"] },
        },
        diff: { 'directives["script-src"][1]': "add", value: "update", expression: "update" },
      }),
      summary(),
    ]);
    assert.deepEqual({ stack, project, result }, { stack: "dev", project: "story", result: "succeeded" });
    const [{ kind, zone, isOurs, after, differences } = assert.fail("no step"), ...rest] = steps;
    assert.deepEqual([kind, zone, isOurs, rest], ["CspPolicy", zoneId, true, []], "the stack is no step");
    assert.deepEqual([after?.["value"], after?.["__provider"]], [secretValue, undefined]);
    assert.deepEqual(differences, [
      { path: 'directives["script-src"][1]', before: undefined, after: "b" },
      { path: "expression", before: "a", after: unknownValue },
      { path: "value", before: secretValue, after: secretValue },
    ]);
  });

  it("hides inputs with secrets that a policy pack returned as plain text, before and after the change, and names them", () => {
    const before = {
      action: "[secret]",
      directives: { "script-src": ["'self'", "[secret]"], "img-src": ["a"] },
    };
    const opened = {
      action: "hush",
      directives: { "script-src": ["hush", "'self'"], "img-src": ["hush-not"] },
    };
    const remediation = {
      policyName: "p",
      policyPackName: "k",
      resourceUrn: urnOf("csp"),
      before,
      after: opened,
    };
    const { steps, findings } = readEvents([
      JSON.stringify({ policyRemediationEvent: remediation }),
      step({ name: "csp", op: "update", before: opened, after: { zoneId, ...opened }, recorded: opened }),
    ]);
    for (const side of [steps[0]?.before, steps[0]?.after, steps[0]?.recorded])
      assert.deepEqual([side?.["action"], side?.["directives"]], [secretValue, secretValue]);
    assert.match(findings[0]?.text ?? "", /returned the secret action, directives as plain text/);
    // The pack may also have removed the value.
    const moved = { zoneId, directives: { "style-src": ["hush"] } };
    const [one] = readEvents([
      JSON.stringify({ policyRemediationEvent: { ...remediation, after: moved } }),
      step({ name: "csp", op: "create", after: moved }),
    ]).steps;
    assert.equal(one?.after?.["directives"], secretValue);
  });

  for (const [kind, before, after, refused] of [
    ["CspPolicySet", {}, { others: "delete" }, "others"],
    ["CspPolicySet", { others: unknown }, { others: "delete" }, "others"],
    ["CspPolicySet", { others: "delete" }, { others: "keep" }, undefined],
    ["ManagedWafEntrypoint", { foreignRules: "keep" }, { foreignRules: "overwrite" }, "foreignRules"],
    [
      "ManagedWafEntrypoint",
      { foreignRules: "overwrite", name: "a" },
      { foreignRules: "overwrite" },
      undefined,
    ],
    ["CspPolicy", { zoneId }, { zoneId: "b".repeat(32) }, "zoneId"],
    ["CspPolicy", { zoneId, action: "log" }, { zoneId, action: "allow" }, undefined],
    ["WafMigrationStep", { stage: "validation" }, { stage: "finished" }, "stage"],
  ] as const)
    it(`reads that a policy pack changes ${JSON.stringify(before)} of a ${kind} to ${JSON.stringify(after)}`, () => {
      const event = { resourceUrn: urnOf("one", kind), policyName: "p", policyPackName: "k", before, after };
      const { findings } = readEvents([JSON.stringify({ policyRemediationEvent: event })]);
      const names = findings.map(({ severity, code, text }) => [
        severity,
        code,
        / changed (\w+)\. Only the program /.exec(text)?.[1],
      ]);
      assert.deepEqual(names, refused === undefined ? [] : [["error", "remediation-refused", refused]]);
    });

  for (const [oldName, order, isDeletedFirst] of [
    ["csp", ["create-replacement", "replace", "delete-replaced"], false],
    ["csp", ["delete-replaced", "replace", "create-replacement"], true],
    ["csp", ["import-replacement", "replace", "delete-replaced"], false],
    ["renamed", ["create-replacement", "replace", "delete-replaced"], false],
    ["renamed", ["delete-replaced", "replace", "create-replacement"], true],
  ] as const)
    it(`merges ${order.join(", ")} of ${oldName} into one step, and keeps the deletion of an object that an earlier run replaced`, () => {
      const before = { zoneId };
      const one = (op: string) => {
        // The engine names the imported object in place of the replaced one.
        if (op === "import-replacement")
          return step({ name: "csp", op, before, after: before, id: "imported" });
        return op === "delete-replaced"
          ? step({ name: oldName, op, before, id: "new" })
          : step({ name: "csp", oldName, op, before, after: before, id: "new" });
      };
      const left = step({ name: "csp", op: "delete-replaced", before, id: "left" });
      const { steps } = readEvents([...order.map(one), left]);
      assert.deepEqual(
        steps.map(({ op, urn, oldUrn, id, isDeletedFirst: first }) => [op, urn, oldUrn, id, first]),
        [
          ["replace", urnOf("csp"), urnOf(oldName), "new", isDeletedFirst],
          ["delete", urnOf("csp"), urnOf("csp"), "left", false],
        ],
      );
    });

  it("returns the objects that a refresh found changed or gone, also those that an earlier run replaced", () => {
    const before = { zoneId, action: "log" };
    const changed = { after: { ...before, action: "allow" }, diff: { action: "update" } };
    const pre = (id: string) => step({ name: "csp", op: "refresh", id, before, after: before });
    const out = (id: string, more: object, op = "refresh") =>
      step({ name: "csp", op, id, before, ...more }).replace("resourcePreEvent", "resOutputsEvent");
    const { refreshed } = readEvents([
      ...["live", "left", "same", "gone"].map(pre),
      ...[out("left", changed), out("live", changed), out("same", { after: before }), out("gone", {})],
      out("live", changed, "update"),
    ]);
    const found = refreshed.map(({ op, id }) => [op, id]);
    assert.equal(found.join(), "update,left,update,live,delete,gone");
  });

  it("recognises resources of this package by their provider, environment and source, and ignores components", () => {
    const urn = "urn:pulumi:dev::story::";
    const provider = (more: object) => ({
      op: "create",
      urn: `${urn}pulumi:providers:page-guard::own`,
      type: "pulumi:providers:page-guard",
      old: null,
      new: { custom: true, inputs: { __internal: {}, ...more } },
    });
    const policy = (of: string, custom = true, kind = "CspPolicy") => ({
      op: "create",
      urn: `${urn}page-guard:index:${kind}::p`,
      type: `page-guard:index:${kind}`,
      old: null,
      new: { custom, inputs: { zoneId, connection: { service: "page_shield" } } },
      provider: `${urn}pulumi:providers:${of}::an-id`,
    });
    const dynamic = (of: string) => ({
      ...policy(of),
      type: "pulumi-nodejs:dynamic/page-guard:CspPolicy",
      new: {
        custom: true,
        inputs: { zoneId, __provider: 'exports.handler=()=>require("pulumi-page-guard/runtime").CspPolicy' },
      },
    });
    const read = (...events: readonly object[]) => {
      const lines = events.map((metadata) => JSON.stringify({ resourcePreEvent: { metadata } }));
      const { steps, findings } = readEvents(lines);
      const { isOurs, isComponent, connections } = steps.at(-1) ?? assert.fail("no step");
      const isForged = findings.some(({ code }) => code === "provider-forged");
      return { is: isOurs ? "ours" : isForged ? "forged" : isComponent ? "component" : "other", connections };
    };
    const declared = provider({ baseUrl: "https://a.example/v4", service: "page_guard" });
    const mapped = provider({ __internal: { envVarMappings: { HOME: "ANOTHER" } } });
    const rows: readonly (readonly [is: string, ...events: readonly object[]])[] = [
      ["ours", policy("page-guard::default_0_1_0")],
      ["ours", policy("page-guard::default")],
      ["ours", declared, policy("page-guard::own")],
      ["ours", dynamic("pulumi-nodejs::default")],
      ["forged", policy("pulumi-nodejs::default")],
      ["forged", policy("other::x::pulumi:providers:page-guard::default")],
      ["forged", policy("page-guard::default_0_1_0_https_//evil.example")],
      ["forged", policy("page-guard::own")],
      ["forged", mapped, policy("page-guard::own")],
      ["forged", dynamic("own::x::pulumi:providers:pulumi-nodejs::default")],
      ["component", policy("page-guard::default", false, "WafMigration")],
    ];
    for (const [is, ...events] of rows) assert.equal(read(...events).is, is, JSON.stringify(events.at(-1)));
    const { connections } = read(declared, policy("page-guard::own"));
    assert.deepEqual(connections.becomes, { baseUrl: "https://a.example/v4", service: "page_shield" });
  });

  it("returns messages and violations with their codes, completed by the findings file, and ignores other lines", () => {
    const told = [
      { kind: "position", urn: urnOf("p"), file: "/shop/index.ts", line: 12 },
      // Not a finding, although it has the fields of one: its line number makes it an invalid position.
      { kind: "position", urn: urnOf("p"), line: -1, code: "no-finding", severity: "error", text: "none" },
      {
        code: "csp-too-early",
        severity: "warning",
        zone: zoneId,
        urn: urnOf("p"),
        property: "action",
        text: "too early.",
        data: { since: "2024-01-01" },
      },
    ].map((line) => JSON.stringify(line));
    const head = "pulumi-nodejs:dynamic/page-guard:CspPolicy resource 'p' has a problem: ";
    const violation = {
      resourceUrn: urnOf("p"),
      message: "<{%reset%}>no wildcard<{%reset%}>\n",
      policyName: "no-wildcard",
      policyPackName: "house",
      enforcementLevel: "mandatory",
    };
    const { findings, result } = readEvents(
      [
        "a line of a shell",
        '{"resourcePreEvent": "no"}',
        diagnostic("debug", "Registering resource"),
        diagnostic("debug", "it is there. [csp-adopted]\n", urnOf("p")),
        diagnostic("debug", "spent 3 ms [not-ours]"),
        diagnostic(
          "error",
          `${head}blocks:\n  a.example\nAllow it. [csp-blocks-in-use]\naction: too early. [csp-too-early]\n`,
          urnOf("p"),
        ),
        diagnostic("error", "gone. (HTTP 404) [PG_NOT_FOUND]"),
        diagnostic("error", "something of others [1], see [this]."),
        JSON.stringify({ policyEvent: violation }),
      ],
      [...told, '{"code":"cut of', ""],
    );
    assert.deepEqual(
      findings.map(({ severity, text, code, line, data }) => [severity, text, code, line, data]),
      [
        ["error", "too early.", "csp-too-early", 12, { since: "2024-01-01" }],
        ["info", "it is there.", "csp-adopted", 12, undefined],
        ["error", "blocks:\n  a.example\nAllow it.", "csp-blocks-in-use", 12, undefined],
        ["error", "gone. (HTTP 404)", "PG_NOT_FOUND", undefined, undefined],
        ["error", "something of others [1], see [this].", "", undefined, undefined],
        ["error", "Policy pack house, no-wildcard: no wildcard", "policy-house-no-wildcard", 12, undefined],
      ],
    );
    assert.equal(result, "unfinished", "the stream broke off before its summary");
  });
});
