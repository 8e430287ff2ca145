import assert from "node:assert/strict";
import fc from "fast-check";
import type { Rule } from "../../../../provider/src/api/client-types";
import { createClient } from "../../../../provider/src/api/create-client";
import { wafOperations } from "../../../../provider/src/api/wire/waf-operations";
import { entrypointSchema } from "../../../../provider/src/api/wire/waf-schema";
import { fromRule, toRule, wafRuleInput } from "../../../../provider/src/model/waf-rules/rule-input";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { matchList } from "../../../../provider/src/resources/managed-waf-entrypoint/ownership";
import {
  body,
  isSameList,
  makeDesiredList,
} from "../../../../provider/src/resources/managed-waf-entrypoint/rule-list";
import type { RuleSeed, Simulator } from "../../../../simulator/src";
import { check } from "../../../support/random-runs";
import { connection, saying } from "../../api/saying";
import type { Properties } from "../../small-engine/checkpoint";
import { quietZone, useStories, zoneA } from "../../small-engine/zones";
import { rule as declareSkip } from "../support/skip-rules";
import { type WireRule, wireList } from "../support/wire-rules";

/** Removes the fields that the service sets at each write. */
function withoutStamps({ version: _version, last_updated: _updated, ...rule }: WireRule): WireRule {
  return rule;
}

/** Removes also the id, and the ref unless someone has set one. */
function withoutServerMade(shown: WireRule): WireRule {
  const { id, ref, ...rule } = withoutStamps(shown);
  const { version: _latest, ...parameters } = Object(rule["action_parameters"]);
  return {
    ...rule,
    ...(ref !== id && { ref }),
    ...(rule["action_parameters"] !== undefined && { action_parameters: parameters }),
  };
}

/** Removes empty overrides, which have no effect. */
function withoutEmpty(rule: WireRule): WireRule {
  const { overrides, ...parameters } = Object(rule["action_parameters"]);
  if (overrides === undefined) return rule;
  const said = Object.fromEntries(
    Object.entries(overrides).filter(
      ([name, value]) =>
        !(["rules", "categories"].includes(name) && Array.isArray(value) && value.length === 0),
    ),
  );
  const isEmpty = Object.keys(said).length === 0;
  return { ...rule, action_parameters: { ...parameters, ...(!isEmpty && { overrides: said }) } };
}

function sent(rules: readonly Rule[]): readonly WireRule[] {
  const { asked, send } = saying({ result: { rules: [] } });
  void wafOperations(send, connection).putEntrypoint(zoneA, body(undefined, undefined, rules));
  return Object(plain(asked[0]?.body))["rules"];
}

function asShown(rules: readonly WireRule[]): readonly WireRule[] {
  return rules.map((rule, index) => {
    const id = `id-${index}`;
    return { id, ref: id, version: "3", last_updated: "2024-01-01T00:00:00Z", ...rule };
  });
}

/** Returns the rules that a program reads with `getEntrypoint()`. */
async function readRules(sim: Simulator): Promise<readonly Rule[]> {
  const connection = { baseUrl: sim.url, token: sim.token, service: "page_guard" } as const;
  return (await createClient(connection, { env: {} }).getEntrypoint(zoneA))?.rules ?? [];
}

/** Returns the value as the engine's checkpoint passes it on. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("A rule list as it was found", () => {
  const begin = useStories(managedWafEntrypoint);

  it("is the same after it was read, declared and sent, for any rules of the service", async () => {
    await check(
      fc.property(wireList(false), (rules) => {
        const wire = plain(asShown(rules));
        const read = plain(entrypointSchema.parse({ id: "e", rules: wire }));
        const routes: readonly ((rule: Rule) => unknown)[] = [
          // The form that `getEntrypoint()` returns, and the form of a resource's output.
          (rule) => rule,
          (rule) => {
            const { id, ref, version } = rule;
            return { ...fromRule(rule), id, ref, version, foreign: false };
          },
        ];
        for (const route of routes) {
          const rules = read.rules.map((rule) => wafRuleInput.parse(plain(route(rule))));
          const inputs = { zoneId: zoneA, rules };
          const list = makeDesiredList(inputs, matchList(inputs, new Map(), read)).map((one) => one.rule);
          assert.ok(isSameList(list, read.rules));
          assert.deepEqual(sent(list), wire.map(withoutStamps));
          // The request for a zone that does not have the rules yet.
          assert.deepEqual(
            sent(rules.map(toRule)).map(withoutEmpty),
            wire.map(withoutServerMade).map(withoutEmpty),
          );
        }
      }),
    );
  });

  it("is adopted without a write, stays the same beside a new rule, and is the same after a destroy", async () => {
    const { sim, engine } = await begin();
    await check(
      fc.asyncProperty(
        wireList(true),
        fc.constantFrom("refuse", "keep", "overwrite"),
        async (rules, foreignRules) => {
          const entrypoint = { name: "found", rules: plain(rules) as RuleSeed[] };
          sim.zones.seed(zoneA, { ...quietZone, entrypoint });
          sim.journal.clear();
          const before = sim.zone(zoneA).entrypoint?.rules ?? [];
          const declared: readonly Properties[] = plain(await readRules(sim)).map((rule) => ({ ...rule }));
          const program = (more: readonly Properties[]) => ({
            waf: { zoneId: zoneA, foreignRules, rules: [...declared, ...more] },
          });
          await engine.up(program([]));
          assert.deepEqual(sim.changing(), []);
          assert.deepEqual(await engine.preview(program([])), []);
          const added = declareSkip("ours");
          await engine.up(program([added]));
          assert.deepEqual(sim.zone(zoneA).entrypoint?.rules.slice(0, -1), before);
          await engine.refresh();
          assert.deepEqual(await engine.preview(program([added])), []);
          await engine.destroy();
          assert.deepEqual(sim.zone(zoneA).entrypoint?.rules, before);
        },
      ),
      { usually: 25 },
    );
  });
});
