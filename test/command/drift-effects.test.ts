import assert from "node:assert/strict";
import { declaredZone } from "../../command/src/state/declared-zone";
import { findDrift } from "../../command/src/state/drift";
import type { ObjectKind } from "../../command/src/state/recorded";
import type { Policy, Rule } from "../../provider/src/api/client-types";
import { effectsOf } from "../../provider/src/resources/kinds";

const zoneId = "a".repeat(32);
const id = (character: string) => character.repeat(32);
const allow = { action: "allow", enabled: true };
const body = { ...allow, description: "Checkout", expression: 'http.host eq "a.example"' };
const directives = { "script-src": ["'self'", "https://js.example"], "object-src": ["'none'"] };
const value = "script-src 'self' https://js.example; object-src 'none'";
const rule = (of: string, action: string) => ({
  action,
  expression: `ip.src eq 192.0.2.${of}`,
  enabled: true,
});
const rules = [rule("1", "skip"), rule("2", "skip"), rule("3", "block")];
const live = (): Rule[] => rules.map((one, index) => ({ ...one, id: id(`${index}`), ref: id(`${index}`) }));

type Values = Readonly<Record<string, unknown>>;
const resource = (kind: string, object: ObjectKind, inputs: Values, outputs: Values, of = zoneId) => ({
  urn: kind,
  name: kind,
  kind,
  object,
  id: of,
  zoneId,
  inputs,
  outputs,
  position: undefined,
});
const policyId = id("b");
const stack = [
  resource("PageGuardSettings", "settings", { zoneId, enabled: true }, { initial: { enabled: false } }),
  resource(
    "CspPolicy",
    "policy",
    { zoneId, ...body, directives },
    { value, policyId },
    `${zoneId}/${policyId}`,
  ),
  resource(
    "ManagedWafEntrypoint",
    "rule",
    { zoneId, foreignRules: "keep", rules },
    { rules: live(), foreign: [] },
  ),
];
const begin = () => ({
  settings: { enabled: true, useConnectionUrlPath: false, useConnectingUrl: false },
  policies: [{ policyId: id("b"), ...body, value }] as Policy[],
  entrypoint: { id: id("e"), name: "default", rules: live() },
});
type Zone = ReturnType<typeof begin>;

const policy = (change: Partial<Policy>) => (zone: Zone) =>
  void Object.assign(zone.policies[0] ?? {}, change);
const first = (change: Partial<Rule>) => (zone: Zone) =>
  void Object.assign(zone.entrypoint.rules[0] ?? {}, change);
const list = (edit: (rules: Rule[]) => unknown) => (zone: Zone) => void edit(zone.entrypoint.rules);
const edits: Readonly<Record<string, (zone: Zone) => void>> = {
  nothing: () => undefined,
  "monitoring switched off": ({ settings }) => void Object.assign(settings, { enabled: false }),
  "an undeclared switch": ({ settings }) => void Object.assign(settings, { useConnectingUrl: true }),
  "a policy switched off": policy({ enabled: false }),
  "another order": policy({ value: "object-src 'none'; script-src https://js.example 'self'" }),
  "a directive that browsers ignore": policy({ value: `${value}; script-src *` }),
  "an unknown directive": policy({ value: `${value}; foo bar` }),
  "another description": policy({ description: "x" }),
  "a policy deleted": ({ policies }) => void policies.pop(),
  "a policy created again": policy({ policyId: id("c") }),
  "a policy copied": ({ policies }) => void policies.push({ ...body, value, policyId: id("d") }),
  "another expression": first({ expression: "true" }),
  "a rule switched off": first({ enabled: false }),
  "a rule described": first({ description: "new" }),
  "an override": first({ actionParameters: { overrides: { action: "log" } } }),
  "a field that the program does not mention": first({ extra: { logging: { enabled: true } } }),
  "a rule created again": first({ id: id("8"), ref: id("8") }),
  "rules reversed": list((all) => all.reverse()),
  "an unmanaged rule between": list((all) => all.splice(1, 0, { ...rule("9", "block"), id: id("9") })),
  "a rule deleted": list((all) => all.shift()),
  "all rules deleted": list((all) => all.splice(0)),
};

describe("The drift report", () => {
  it("names a kind of object exactly if an update of all resources would change it, after any two edits of the zone", () => {
    const asDeclared = stack.map((one) => ({
      ...one,
      op: "update",
      isRetained: false,
      differences: [],
      was: { ...one.inputs, ...one.outputs, incomplete: true },
      becomes: one.inputs,
    }));
    for (const [one, edit] of Object.entries(edits))
      for (const [other, editAgain] of Object.entries(edits)) {
        const zone = begin();
        edit(zone);
        editAgain(zone);
        const drift = findDrift(declaredZone(zoneId, stack), zone).drift;
        // Without a refresh, an update of a deleted policy fails, and changes nothing.
        const isFailing = ({ what, kind }: (typeof drift)[number]) => what === "gone" && kind === "policy";
        const updated = drift.filter((found) => found.what !== "undeclared" && !isFailing(found));
        const kinds = updated.map(({ kind }) => kind);
        const effects = effectsOf(asDeclared, zone).map(({ object }) => object.kind);
        assert.deepEqual(new Set(kinds.sort()), new Set(effects.sort()), `${one}, then ${other}`);
      }
  });
});
