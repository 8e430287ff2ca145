import assert from "node:assert/strict";
import { secretValue, unknownValue } from "../../command/src/preview/preview-read";
import { readEvents } from "../../command/src/preview/read-events";
import { diagnostic, secretInEvent, stackStep, step, summary, urnOf } from "./support/events";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

describe("What a run of the engine does, read from its events", () => {
  it("takes an update with each property that differs, before and after, in the order of their names", () => {
    const { steps, stack, project, result } = readEvents([
      stackStep(),
      step({
        name: "checkout",
        op: "update",
        id: `${zoneId}/p`,
        before: { zoneId, action: "log", directives: { "script-src": ["'self'"] } },
        after: { zoneId, action: "allow", directives: { "script-src": ["'self'", "https://a.example"] } },
        diff: { 'directives["script-src"][1]': "add", action: "update" },
      }),
      summary(),
    ]);
    assert.deepEqual({ stack, project, result }, { stack: "dev", project: "story", result: "succeeded" });
    assert.equal(steps.length, 1, "the stack is no step");
    const [{ op, name, kind, zone, isOurs, differences } = assert.fail("no step")] = steps;
    assert.deepEqual(
      { op, name, kind, zone, isOurs },
      {
        op: "update",
        name: "checkout",
        kind: "CspPolicy",
        zone: zoneId,
        isOurs: true,
      },
    );
    assert.deepEqual(differences, [
      { path: "action", before: "log", after: "allow" },
      { path: 'directives["script-src"][1]', before: undefined, after: "https://a.example" },
    ]);
  });

  describe("of the plugin", () => {
    const urn = "urn:pulumi:dev::story::";
    const provider = (name: string, more: object) => ({
      op: "create",
      urn: `${urn}pulumi:providers:page-guard::${name}`,
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
      provider: `${urn}${of}::an-id`,
    });
    const read = (...events: readonly object[]) => {
      const lines = events.map((metadata) =>
        JSON.stringify({ resourcePreEvent: { metadata, planning: true } }),
      );
      const { steps, findings } = readEvents(lines);
      const isForged = findings.some(({ code }) => code === "provider-forged");
      return { ...(steps.at(-1) ?? assert.fail("no step")), isForged };
    };

    it("takes a resource with the default provider, or one that has arguments only, for one of this package", () => {
      const declared = provider("own", { baseUrl: "https://a.example/v4", service: "page_guard" });
      for (const step of [
        read(policy("pulumi:providers:page-guard::default_0_1_0")),
        read(policy("pulumi:providers:page-guard::default")),
        read(declared, policy("pulumi:providers:page-guard::own")),
      ]) {
        const { isOurs, isForged, kind, zone } = step;
        assert.deepEqual([isOurs, isForged, kind, zone], [true, false, "CspPolicy", zoneId]);
      }
      assert.deepEqual(read(declared, policy("pulumi:providers:page-guard::own")).connections.becomes, {
        baseUrl: "https://a.example/v4",
        service: "page_shield",
      });
    });

    it("takes one of another provider, environment or source for forged, and a component for neither", () => {
      const mapped = { __internal: { envVarMappings: { HOME: "ANOTHER" } } };
      for (const step of [
        read(policy("pulumi:providers:pulumi-nodejs::default")),
        read(policy("pulumi:providers:other::x::pulumi:providers:page-guard::default")),
        read(policy("pulumi:providers:page-guard::default_0_1_0_https_//evil.example")),
        read(policy("pulumi:providers:page-guard::own")),
        read(provider("own", mapped), policy("pulumi:providers:page-guard::own")),
      ])
        assert.deepEqual([step.isOurs, step.isForged], [false, true]);
      const text = 'exports.handler=()=>require("pulumi-page-guard/runtime").CspPolicy';
      const dynamic = (of: string) => ({
        ...policy(of),
        type: "pulumi-nodejs:dynamic/page-guard:CspPolicy",
        new: { custom: true, inputs: { zoneId, __provider: text } },
      });
      assert.ok(read(dynamic("pulumi:providers:pulumi-nodejs::default")).isOurs);
      assert.ok(read(dynamic("pulumi:providers:own::x::pulumi:providers:pulumi-nodejs::default")).isForged);
      const { isOurs, isForged, isComponent } = read(policy("", false, "WafMigration"));
      assert.deepEqual([isOurs, isForged, isComponent], [false, false, true]);
    });
  });

  it("reads a replacement as one step, with both sides", () => {
    const before = { zoneId, enabled: true };
    const after = { zoneId: zoneId.replace("a0", "b0"), enabled: true };
    const diff = { zoneId: "update-replace" };
    const one = { name: "settings", kind: "PageGuardSettings", id: zoneId };
    const { steps } = readEvents([
      step({ ...one, op: "create-replacement", before, after, diff }),
      step({ ...one, op: "replace", before, after, diff }),
      step({ ...one, op: "delete-replaced", before }),
    ]);
    assert.deepEqual(
      steps.map(({ op, differences }) => [op, differences.map(({ path }) => path)]),
      [["replace", ["zoneId"]]],
    );
    assert.deepEqual(steps[0]?.before, before);
    assert.deepEqual(steps[0]?.after, after);
  });

  it("shows no secret, no provider text and no mark of an unknown value", () => {
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const { steps } = readEvents([
      step({
        name: "p",
        op: "update",
        before: { zoneId, value: secretInEvent, expression: "a" },
        after: { zoneId, value: secretInEvent, expression: unknown },
        diff: { value: "update", expression: "update" },
      }),
    ]);
    assert.deepEqual(steps[0]?.after, { zoneId, value: secretValue, expression: unknownValue });
    assert.deepEqual(
      steps[0]?.differences.map(({ path, before, after }) => [path, before, after]),
      [
        ["expression", "a", unknownValue],
        ["value", secretValue, secretValue],
      ],
    );
  });

  it("gives diagnostics without the engine's debug lines, with the code at their end, and each of several", () => {
    const { findings } = readEvents([
      diagnostic("debug", "Registering resource"),
      diagnostic("warning", "taken over. [csp-adopted]\n", urnOf("p")),
      diagnostic(
        "error",
        "pulumi-nodejs:dynamic/page-guard:CspPolicy resource 'p' has a problem: blocks:\n  a.example\nAllow it. [csp-blocks-in-use]\naction: too early. [csp-too-early]\n",
        urnOf("p"),
      ),
      diagnostic("error", "gone. (HTTP 404) [PG_NOT_FOUND]"),
      diagnostic("error", "something of others [1], see [this]."),
    ]);
    assert.deepEqual(
      findings.map(({ severity, text, code }) => [severity, text, code]),
      [
        ["warning", "taken over.", "csp-adopted"],
        ["error", "blocks:\n  a.example\nAllow it.", "csp-blocks-in-use"],
        ["error", "action: too early.", "csp-too-early"],
        ["error", "gone. (HTTP 404)", "PG_NOT_FOUND"],
        ["error", "something of others [1], see [this].", ""],
      ],
    );
  });

  it("puts findings of the file and messages together, each once, with the line of the program", () => {
    const lines = [
      { kind: "position", urn: urnOf("p"), file: "/shop/index.ts", line: 12 },
      {
        ...{ code: "csp-too-early", severity: "error", zone: zoneId, urn: urnOf("p") },
        ...{ property: "action", text: "too early.", data: { since: "2024-01-01" } },
      },
    ].map((line) => JSON.stringify(line));
    const { findings } = readEvents(
      [diagnostic("error", "action: too early. [csp-too-early]\n", urnOf("p"))],
      [...lines, '{"code":"cut of', ""],
    );
    assert.deepEqual(findings, [
      {
        ...{ code: "csp-too-early", severity: "error", zone: zoneId, urn: urnOf("p"), property: "action" },
        ...{
          text: "too early.",
          data: { since: "2024-01-01" },
          file: "/shop/index.ts",
          line: 12,
          isShown: true,
        },
      },
    ]);
  });

  it("reads violations of policy packs, and passes over lines that are none of the engine's", () => {
    const { findings, result } = readEvents([
      "a line of a shell",
      '{"resourcePreEvent": "no"}',
      JSON.stringify({
        policyEvent: {
          resourceUrn: urnOf("p"),
          message: "<{%reset%}>no wildcard<{%reset%}>\n",
          policyName: "no-wildcard",
          policyPackName: "house",
          enforcementLevel: "mandatory",
        },
      }),
    ]);
    assert.deepEqual(
      findings.map(({ code, severity, urn, text }) => [code, severity, urn, text]),
      [["policy-house-no-wildcard", "error", urnOf("p"), "Policy pack house, no-wildcard: no wildcard"]],
    );
    assert.equal(result, "unfinished", "the stream broke off before its summary");
  });
});
