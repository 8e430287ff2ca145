import assert from "node:assert/strict";
import { policySchema, settingsSchema } from "../../../provider/src/api/wire/page-guard-schema";
import { entrypointSchema } from "../../../provider/src/api/wire/waf-schema";
import type { Effect, ResourceChange } from "../../../provider/src/model/effect";
import { keepersOf } from "../../../provider/src/model/policies/policy-effects";
import { unknownValue } from "../../../provider/src/model/unknown";
import { effectsOf } from "../../../provider/src/resources/kinds";
import { type Backup, type Properties, urnOf } from "../../provider/small-engine/checkpoint";
import type { Program } from "../../provider/small-engine/operation";
import { type Zone, zones } from "./declarations";
import type { Picture } from "./picture";
import { kindOf } from "./program";

/** A planned update, as a review sees it. */
interface Planned {
  readonly backup: Backup;
  readonly program: Program;
  /** Operations of the preview, such as `create p1`. */
  readonly operations: readonly string[];
  /** Resources that are replaced even without a change. The engine compares no inputs of them. */
  readonly forced: readonly string[];
  readonly deletedFirst: readonly string[];
}

/** An object's fields that visitors or colleagues notice. */
type Content = Properties;

/** Content of a zone after an update, as the effects predict it: objects by id, and new objects without an id. */
interface Objects {
  readonly kept: Map<string, Content>;
  readonly made: Content[];
}

/** Checks that an update that nothing disturbed did to each object of a zone what its effects said before it. */
export function expectForecast(planned: Planned, zone: Zone, before: Picture, after: Picture): void {
  const effects = effectsIn(planned, zone, before);
  const policies = (picture: Picture) => byId(picture.policies[zone], policyContent);
  expectObjects(effects, "policy", policyContent, policies(before), policies(after));
  // The migration itself writes the rules of zone `m`.
  if (zone !== "m") {
    const rules = (picture: Picture) => byId(picture.rules[zone], ruleContent);
    expectObjects(effects, "rule", ruleContent, rules(before), rules(after));
  }
  const set = effects.filter(({ object }) => object.kind === "settings").map((effect) => effect.after);
  const predicted = Object.assign({}, settingsSchema.parse(before.settings[zone]), ...set);
  assert.deepEqual(switchesOf({ ...settingsSchema.parse(after.settings[zone]) }), switchesOf(predicted));
}

/**
 * Returns the contents of the file with which `page-guard apply` carries out a planned update. Without this file, a create can
 * adopt a policy that another resource keeps. No input is compared, because no policy pack changes any.
 */
export function makeApproval(planned: Planned): string {
  const inputs = Object.entries(planned.program).map(([name, declared]) => [
    urnOf(name),
    Object.fromEntries(Object.keys(declared).map((input) => [input, unknownValue])),
  ]);
  const policies = Object.values(zones).flatMap((zoneId) =>
    changesIn(planned, zoneId).filter(({ kind }) => kind.startsWith("Csp")),
  );
  return JSON.stringify({ ...Object.fromEntries(inputs), keepers: Object.fromEntries(keepersOf(policies)) });
}

function effectsIn(planned: Planned, zone: Zone, before: Picture): readonly Effect[] {
  const rules = before.rules[zone];
  return effectsOf(changesIn(planned, zones[zone]), {
    settings: settingsSchema.parse(before.settings[zone]),
    policies: before.policies[zone].map((policy) => policySchema.parse(policy)),
    entrypoint: entrypointSchema.parse({ rules }),
  });
}

/** Returns the changes of a zone's resources. A resource that moves has a change in each of its two zones. */
function changesIn(
  { backup, program, operations, forced, deletedFirst }: Planned,
  zoneId: string,
): ResourceChange[] {
  const recorded = new Map(backup.state);
  const decided = new Map(operations.map((text) => [text.replace(/^.* /, ""), text.replace(/ .*/, "")]));
  const waiting = backup.pending.flatMap(({ name, id, inputs, outputs }): readonly ResourceChange[] => {
    if (outputs["zoneId"] !== zoneId) return [];
    const change = { ...changeOf(name), id, was: { ...inputs, ...outputs }, op: "delete", differences: [] };
    return [change];
  });
  const others = [...new Set([...recorded.keys(), ...Object.keys(program)])].flatMap((name) => {
    const [old, declared] = [recorded.get(name), program[name]];
    const was = old?.outputs["zoneId"] === zoneId ? { ...old.inputs, ...old.outputs } : undefined;
    const becomes = declared?.["zoneId"] === zoneId ? declared : undefined;
    if (!was && !becomes) return [];
    const inputs = forced.includes(name) ? [] : Object.keys({ ...old?.inputs, ...declared });
    const differing = inputs.filter(
      (input) => JSON.stringify(old?.inputs[input]) !== JSON.stringify(declared?.[input]),
    );
    const change: ResourceChange = {
      ...changeOf(name),
      id: old?.id ?? "",
      was,
      becomes,
      op: decided.get(name) ?? "same",
      isDeletedFirst: deletedFirst.includes(name),
      differences: differing.map((path) => ({ path })),
    };
    return [change];
  });
  return [...others, ...waiting];
}

function changeOf(name: string) {
  return { kind: kindOf(name).name, urn: urnOf(name), name, isRetained: false };
}

function expectObjects(
  effects: readonly Effect[],
  kind: string,
  contentOf: (object: Properties) => Content,
  before: ReadonlyMap<string, Content>,
  after: ReadonlyMap<string, Content>,
): void {
  const predicted: Objects = { kept: new Map(before), made: [] };
  for (const effect of effects.filter(({ object }) => object.kind === kind))
    foresee(predicted, effect, contentOf);
  const told = effects.map(({ fate, object: { id = "new", label } }) => `${fate} ${id} ${label}`).join("; ");
  assert.deepEqual(
    sorted([...after.values()]),
    sorted([...predicted.kept.values(), ...predicted.made]),
    `the zone has other objects of kind ${kind} than its effects say: ${told}`,
  );
}

function foresee(
  { kept, made }: Objects,
  { fate, object: { id }, after, isOpen }: Effect,
  contentOf: (object: Properties) => Content,
): void {
  assert.ok(!isOpen, "an effect that the preview refuses");
  if (fate === "adopt" || fate === "leave") return;
  if (id === undefined) made.push(contentOf(after ?? {}));
  else if (after === undefined) kept.delete(id);
  else kept.set(id, contentOf(after));
}

function byId<Item extends { readonly id: string }>(
  items: readonly Item[],
  contentOf: (object: Properties) => Content,
): Map<string, Content> {
  return new Map(items.map((item) => [item.id, contentOf({ ...item })]));
}

function policyContent({ description = "", action, expression, value, enabled = true }: Properties): Content {
  return { description, action, expression, value, enabled };
}

function ruleContent({ description = "", action, expression, enabled = true }: Properties): Content {
  return { description, action, expression, enabled };
}

function switchesOf({ enabled, useVendorReportingEndpoint, useConnectionUrlPath }: Properties): Properties {
  return { enabled, useVendorReportingEndpoint, useConnectionUrlPath };
}

function sorted(contents: readonly Content[]): readonly string[] {
  return contents.map((content) => JSON.stringify(content)).sort();
}
