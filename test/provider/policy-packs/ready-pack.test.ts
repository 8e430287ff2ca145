import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { ResourceValidationPolicy } from "@pulumi/policy";
import { reporter } from "../../../examples/policy-pack/exemptions";
import { allowAfterLog } from "../../../examples/policy-pack/rules/allow-after-log";
import { managedRulesetsAtWork } from "../../../examples/policy-pack/rules/managed-rulesets-at-work";
import { noOverwrite } from "../../../examples/policy-pack/rules/no-overwrite";
import { scriptsByName } from "../../../examples/policy-pack/rules/scripts-by-name";
import { scriptsInInventory } from "../../../examples/policy-pack/rules/scripts-in-inventory";
import { managedRulesets } from "../../../provider/src/policy";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const scoring = "6179ae15870a4bb7b2d480d4843b323c";

/** Returns the rules that one resource violates. */
function found(
  policy: ResourceValidationPolicy,
  kind: string,
  props: Record<string, unknown>,
  config = {},
): string[] {
  const said: string[] = [];
  const type = `pulumi-nodejs:dynamic/page-guard:${kind}`;
  const urn = `urn:pulumi:production::shop::${type}::x`;
  const args = { type, name: "x", urn, props, getConfig: () => config };
  const { validateResource } = policy;
  assert.ok(typeof validateResource === "function");
  void Reflect.apply(validateResource, undefined, [args, (text: string) => said.push(text)]);
  return said.map((text) => /\[([\w-]+)\]$/.exec(text)?.[1] ?? text).sort();
}

describe("The ready policy pack: managed rulesets", () => {
  const run = (id: string, overrides?: object, more: object = {}) => ({
    action: "execute",
    expression: "true",
    actionParameters: { id, ...(overrides && { overrides }) },
    ...more,
  });
  const both = [run(managedRulesets.managed), run(managedRulesets.owasp)];
  const skip = (expression: string, extra: object = { ruleset: "current" }, more: object = {}) => ({
    action: "skip",
    expression,
    actionParameters: { extra },
    ...more,
  });
  const of = (rules: unknown) => found(managedRulesetsAtWork, "ManagedWafEntrypoint", { zoneId, rules });
  const all = ["ruleset-managed", "ruleset-owasp"];

  it("given both rulesets for every request, then there is no violation", () => {
    assert.deepEqual(of(both), []);
  });

  const everything = [
    ...[
      "true",
      "(true)",
      " TRUE ",
      "not false",
      "!(false)",
      'http.host eq "a.example" or true',
      "ssl == true",
    ],
    ...["ssl", "not (not ssl)", "ssl or not ssl", 'http.host ne "nobody.example"', "not ip.src in $office"],
    ...["ip.src in {0.0.0.0/0 ::/0}", "ip.src in {0.0.0.0/1 128.0.0.0/1}", "cf.threat_score ge 0"],
    ...[
      'starts_with(http.request.uri.path, "/")',
      'http.request.uri.path contains "/"',
      "cf.client.bot eq false",
    ],
    ...['http.request.uri.path wildcard "/*"', 'http.host wildcard r"*"', 'http.host matches ".*"'],
    ...['not (http.host eq "a" and http.host eq "b")', 'true xor http.host eq "a"', 'http.host contains ""'],
    ...["this cannot be read ((", "", "(".repeat(500)],
  ];
  for (const expression of everything) {
    it(`given a skip rule before them with ${expression.slice(0, 40) || "no expression"}, then the rulesets count as idle`, () => {
      assert.deepEqual(of([skip(expression), ...both]), all);
      assert.deepEqual(of([...both, skip(expression)]), [], "a skip rule behind them skips nothing");
      assert.deepEqual(of([skip(expression, {}, { enabled: false }), ...both]), []);
    });
  }

  it("given exceptions for some requests, then there is no violation", () => {
    for (const expression of [
      'http.host eq "a.example"',
      'http.host in {"a.example" "b.example"} and not ip.src in $office',
      'starts_with(http.request.uri.path, "/api/") and http.request.method eq "POST"',
      "ip.src in {192.0.2.0/24 10.0.0.0/8}",
      "cf.client.bot",
      'http.request.uri.path wildcard "/feed/*"',
      'http.user_agent contains "monitor"',
      'true and http.host eq "a.example"',
      'any(http.request.headers["x-probe"][*] eq "yes")',
    ]) {
      assert.deepEqual(of([skip(expression), ...both]), [], expression);
    }
  });

  it("given a skip rule for one ruleset, some rules or phases, then only the skipped rulesets count as idle", () => {
    const { managed, owasp } = managedRulesets;
    for (const [extra, expected] of [
      [{ rulesets: [managed] }, ["ruleset-managed"]],
      [{ rulesets: ["another"] }, []],
      [{ phases: ["http_request_firewall_managed"] }, all],
      [{ phases: ["http_ratelimit"] }, []],
      [{ rules: { [managed]: ["one"], [owasp]: ["two"] } }, []],
      [{ rules: { [owasp]: ["two", scoring] } }, ["ruleset-owasp"]],
      [{}, all],
    ] as const) {
      assert.deepEqual(of([skip("true", extra), ...both]), expected, JSON.stringify(extra));
    }
    const unspecific = { action: "skip", expression: "true" };
    assert.deepEqual(of([unspecific, ...both]), all, "a skip rule without a target");
  });

  it("given overrides of a whole ruleset that let everything pass, then it counts as idle", () => {
    const { managed, owasp } = managedRulesets;
    const withOverrides = (overrides: object) => of([run(managed, overrides), run(owasp)]);
    for (const overrides of [
      { action: "log" },
      { enabled: false },
      { sensitivityLevel: "off" },
      { sensitivityLevel: "eoff" },
      { extra: { sensitivity_level: "off" } },
      { action: "log_custom_field", enabled: true },
    ]) {
      assert.deepEqual(withOverrides(overrides), ["ruleset-managed"], JSON.stringify(overrides));
    }
    for (const overrides of [
      { action: "block", enabled: true },
      { sensitivityLevel: "low" },
      { rules: [{ id: "one", enabled: false }], categories: [{ category: "wordpress", action: "log" }] },
    ]) {
      assert.deepEqual(withOverrides(overrides), [], JSON.stringify(overrides));
    }
  });

  it("given an override that disables the rule or the categories by which the OWASP ruleset acts, then it counts as idle", () => {
    const { managed, owasp } = managedRulesets;
    const withOverrides = (overrides: object) => of([run(managed), run(owasp, overrides)]);
    for (const overrides of [
      { rules: [{ id: scoring, action: "log", scoreThreshold: 25 }] },
      { rules: [{ id: scoring, enabled: false }] },
      { rules: [{ id: scoring, scoreThreshold: 100_000 }] },
      { rules: [{ id: scoring, extra: { score_threshold: 100_000 } }] },
      { categories: [{ category: "paranoia-level-1", enabled: false }] },
      { extra: { categories: [{ category: "paranoia-level-1", enabled: false }] } },
    ]) {
      assert.deepEqual(withOverrides(overrides), ["ruleset-owasp"], JSON.stringify(overrides));
    }
    const rules = [{ id: scoring, action: "block", scoreThreshold: 40 }];
    const categories = [{ category: "paranoia-level-4", enabled: false }];
    assert.deepEqual(withOverrides({ rules, categories }), []);
  });

  it("given a secret that cannot be decrypted, at any depth, then it is reported, except in a description", () => {
    const { managed, owasp } = managedRulesets;
    for (const rules of [
      "[secret]",
      ["[secret]", ...both],
      [skip("[secret]"), ...both],
      [run(managed, { rules: "[secret]" }), run(owasp)],
      [{ ...run(managed), enabled: "[secret]" }, run(owasp)],
      [{ ...run(managed), actionParameters: "[secret]" }, run(owasp)],
    ]) {
      assert.deepEqual(of(rules), ["closed-secret"], JSON.stringify(rules));
    }
    assert.deepEqual(of(both.map((rule) => ({ ...rule, description: "[secret]" }))), []);
  });

  it("given a migration that replaces the proposed configuration, then its rules are checked like those of an entry point", () => {
    const moved = (props: object) => found(managedRulesetsAtWork, "WafMigrationStep", { zoneId, ...props });
    assert.deepEqual(moved({}), [], "the preview shows the service's proposal");
    assert.deepEqual(moved({ configuration: { name: "default", rules: both } }), []);
    assert.deepEqual(moved({ configuration: { name: "default", rules: [skip("true"), ...both] } }), all);
    assert.deepEqual(moved({ configuration: { name: "default", rules: "[secret]" } }), ["closed-secret"]);
    assert.deepEqual(moved({ configuration: "[secret]" }), ["closed-secret"]);
  });
});

describe("The ready policy pack: sources of scripts", () => {
  const policy = { zoneId, description: "x", action: "log", expression: "true" };
  const of = (text: object) => found(scriptsByName, "CspPolicy", { ...policy, ...text });

  for (const [value, expected] of [
    ["script-src 'self' https://*.shop.example.com", []],
    ["script-src https://*.com", ["security-anyone-publishes"]],
    ["script-src 'self'; script-src-elem https://*.com", ["security-anyone-publishes"]],
    ["default-src *.com; script-src 'self'", []],
    ["script-src unpkg.com", ["security-anyone-publishes"]],
    ["default-src 'none'; script-src 'self'; script-src-elem UNPKG.com:443", ["security-anyone-publishes"]],
    ["img-src unpkg.com *.workers.dev; script-src 'self'", []],
    ["script-src 'self' blob:", ["script-scheme"]],
    ["script-src 'self'; worker-src blob:", []],
    ["script-src 'nonce-MTIzNDU2Nzg5'", ["nonce"]],
    ["script-src data:", ["security-plain-scheme"]],
    ["script-src *", ["security-wildcard"]],
  ] as const) {
    it(`given ${value}, then ${expected.join() || "there is no violation"}`, () => {
      assert.deepEqual(of({ value }), expected);
    });
  }

  it("given directives, or an entry of a set, with a host where anyone can publish, then that is a violation too", () => {
    const directives = { "script-src": ["'self'", "unpkg.com"] };
    assert.deepEqual(of({ directives }), ["security-anyone-publishes"]);
    const policies = { a: { action: "log", expression: "true", directives } };
    const told = found(scriptsByName, "CspPolicySet", { zoneId, policies });
    assert.deepEqual(told, ["security-anyone-publishes"]);
  });

  it("given both value and directives, then that is a violation, even if one of them is harmless", () => {
    const directives = { "script-src": ["*"] };
    for (const value of ["script-src 'self'", ""]) {
      assert.ok(of({ value, directives }).includes("two-texts"), value);
    }
    assert.deepEqual(of({ directives }), ["security-wildcard"]);
    const policies = { a: { action: "log", expression: "true", value: "script-src 'self'", directives } };
    assert.deepEqual(found(scriptsByName, "CspPolicySet", { zoneId, policies }), ["two-texts"]);
  });
});

describe("The ready policy pack: scripts in the inventory", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-inventory-"));
  const file = relative(resolve(__dirname, "../../../examples/policy-pack"), join(folder, "shop.yaml"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const entry = (match: string, approved: string) => `- match: ${match}\n  host: shop.example\n${approved}`;
  const approval = "  approved: { by: Ada, reference: PR 7, on: 2026-01-01 }\n";
  const config = { inventories: { [zoneId]: file } };
  const of = (value: string, more: object = {}) => {
    const policy = { zoneId, action: "allow", expression: "true", value, ...more };
    return found(scriptsInInventory, "CspPolicy", policy, config);
  };

  before(() => {
    const entries = [
      entry("https://js.payments.example/v3/*", approval),
      entry("https://shop.example/app.*.js", approval),
      entry("https://chat.example/c.js", "  approved: null\n"),
      entry("https://old.example/o.js", `${approval}  gone: 2026-02-01\n`),
    ];
    writeFileSync(join(folder, "shop.yaml"), entries.join(""));
  });

  it("given sources that each allow an approved script, then there is no violation", () => {
    for (const value of [
      "script-src 'self' https://js.payments.example/v3/ 'unsafe-inline'; img-src https://any.example",
      "default-src *.payments.example",
    ])
      assert.deepEqual(of(value), [], value);
  });

  it("given a source that allows no approved script, then that is a violation", () => {
    for (const value of [
      "script-src https://chat.example",
      "script-src https://old.example",
      "default-src https://chat.example",
      "script-src https://js.payments.example/v3/, default-src https://chat.example",
      "default-src 'none'; script-src js.payments.example/v4/",
      "script-src-elem blob:",
    ])
      assert.deepEqual(of(value), ["not-in-inventory"], value);
    assert.deepEqual(of("script-src 'self'", { zoneId: zoneId.toUpperCase() }), []);
  });

  it("given a policy that only logs, or a zone without an inventory, then there is no violation; given a secret that cannot be decrypted, then it is reported", () => {
    const wide = "script-src https://chat.example";
    assert.deepEqual(of(wide, { action: "log" }), []);
    assert.deepEqual(of(wide, { enabled: false }), []);
    assert.deepEqual(of(wide, { zoneId: "b".repeat(32) }), []);
    assert.deepEqual(of("[secret]"), ["closed-secret"]);
    assert.deepEqual(of(wide, { zoneId: "[secret]" }), ["closed-secret"]);
  });

  it("given an inventory that cannot be read, then the error says why", () => {
    writeFileSync(join(folder, "shop.yaml"), "- match: x\n");
    assert.throws(() => of("script-src 'self'"), /shop\.yaml cannot be read: line 1: match: /);
  });
});

describe("The ready policy pack: removal of unmanaged objects in production", () => {
  for (const [kind, argument, bad, rule] of [
    ["ManagedWafEntrypoint", "foreignRules", "overwrite", "overwrite"],
    ["CspPolicySet", "others", "delete", "delete-others"],
  ] as const) {
    it(`given ${kind}.${argument}, then a value that removes objects is a violation, and a secret that cannot be decrypted is reported`, () => {
      assert.deepEqual(found(noOverwrite, kind, { [argument]: bad }), [rule]);
      assert.deepEqual(found(noOverwrite, kind, { [argument]: "[secret]" }), ["closed-secret"]);
      assert.deepEqual(found(noOverwrite, kind, { [argument]: "keep" }), []);
      assert.deepEqual(found(noOverwrite, kind, {}), []);
      const elsewhere = { productionStacks: ["another"] };
      assert.deepEqual(found(noOverwrite, kind, { [argument]: "[secret]" }, elsewhere), []);
    });
  }
});

describe("The ready policy pack: days in log", () => {
  it("given an action or minimumLogDays that is a secret and cannot be decrypted, then it is reported", () => {
    const of = (props: object) => found(allowAfterLog, "CspPolicy", { zoneId, description: "x", ...props });
    assert.deepEqual(of({ action: "[secret]" }), ["closed-secret"]);
    assert.deepEqual(of({ action: "allow", minimumLogDays: "[secret]" }), ["closed-secret"]);
    assert.deepEqual(of({ action: "allow", minimumLogDays: 7 }), []);
    assert.deepEqual(of({ action: "log", minimumLogDays: "[secret]" }), []);
  });
});

describe("The ready policy pack: exemptions", () => {
  const exemption = (until: string, reason = "the old shop is taken down this year") => {
    return { resource: "x", rule: "r", until, reason };
  };
  const said = (...exemptions: readonly object[]) => report(exemptions);
  function report(exemptions: readonly object[], resource = "x"): string[] {
    const texts: string[] = [];
    const getConfig = <T extends object>() => Object({ exemptions }) as T;
    const tell = reporter({ getConfig }, (text) => void texts.push(String(text)));
    tell({ resource, rule: "r", text: "bad." });
    return texts;
  }

  it("and reports are one line, whatever characters names and keys contain", () => {
    const told = report([], "set/\u001b[31mkey\n::error ::pwned <{%x%}>");
    assert.deepEqual(told, ["set/[31mkey ::error ::pwned < {%x%}>: bad. [r]"]);
  });

  it("apply up to and including their last day", () => {
    assert.deepEqual(said(exemption(day(30))), []);
    const [ended = ""] = said(exemption(day(-1)));
    assert.match(ended, /^x: bad\. Its exemption ended on .*: the old shop .* \[r\]$/);
  });

  it("that have ended do not hide one that applies, wherever it is in the list", () => {
    assert.deepEqual(said(exemption("2020-01-31"), exemption(day(30))), []);
    assert.deepEqual(said(exemption(day(30)), exemption("2020-01-31")), []);
    const [newer = ""] = said(exemption("2020-01-31"), exemption("2021-01-31", "the newer reason"));
    assert.match(newer, /2021-01-31: the newer/);
  });

  for (const until of ["9999-99-99", "2099-02-31", "2099-13-01", "soon", ""]) {
    it(`until ${until || "nothing"} do not apply, because that is not a date`, () => {
      assert.match(said(exemption(until))[0] ?? "", /^x: bad\. .* is not a valid date\. \[r\]$/);
      assert.deepEqual(said(exemption(until), exemption(day(30))), []);
    });
  }
});
