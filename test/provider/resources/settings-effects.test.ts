import assert from "node:assert/strict";
import type { ResourceChange } from "../../../provider/src/model/effect";
import { settingsEffects } from "../../../provider/src/resources/page-guard-settings/effects";

const [on, off] = [{ enabled: true }, { enabled: false }];
const both = { enabled: true, useConnectionUrlPath: true };

/** Returns the fate, the switches afterwards, and what becomes weaker. */
function effects(
  was: object | undefined,
  becomes: object | undefined,
  settings?: object,
  isRetained = false,
): unknown[] {
  const resource: ResourceChange = {
    kind: "PageGuardSettings",
    urn: "urn:watch",
    name: "watch",
    id: "",
    op: was ? (becomes ? "update" : "delete") : "create",
    isRetained,
    differences: [],
    ...(was && { was: { ...was } }),
    ...(becomes && { becomes: { ...becomes } }),
  };
  return settingsEffects([resource], { settings }).flatMap(({ fate, after, weaker }) => [
    fate,
    after,
    ...(weaker ? [weaker] : []),
  ]);
}

const cases: Readonly<Record<string, readonly [found: () => unknown[], expected: readonly unknown[]]>> = {
  "settings that are as declared": [() => effects(undefined, on, on), ["adopt", on]],
  "settings that differ": [() => effects(undefined, on, off), ["update", on]],
  "settings of a zone that was not read": [() => effects(undefined, on), ["create", on]],
  "monitoring that is switched off": [() => effects(on, off, on), ["update", off, "monitoring switched off"]],
  "an update to settings that the zone has already": [() => effects(on, off, off), []],
  "a switch that is no longer declared": [
    () => effects({ ...both, initial: { enabled: false, useConnectionUrlPath: false } }, on, both),
    ["update", { enabled: true, useConnectionUrlPath: false }],
  ],
  "a switch that is no longer declared and is kept": [
    () => effects({ ...both, initial: { useConnectionUrlPath: false } }, { ...on, onDestroy: "keep" }, both),
    [],
  ],
  "a destroy that restores": [
    () => effects({ ...on, initial: off }, undefined, on),
    ["restore", off, "monitoring switched off"],
  ],
  "a destroy that restores the current settings": [
    () => effects({ ...on, initial: on }, undefined, on),
    ["leave", on],
  ],
  "a destroy that leaves an undeclared switch": [
    () => effects({ ...on, initial: off }, undefined, both),
    ["restore", { ...both, ...off }, "monitoring switched off"],
  ],
  "a destroy that switches off": [
    () => effects({ ...on, onDestroy: "disable" }, undefined, on),
    ["update", off, "monitoring switched off"],
  ],
  "a destroy that keeps": [
    () => effects({ ...on, onDestroy: "keep", initial: off }, undefined, on),
    ["leave", on],
  ],
  "a resource that is only removed from the state": [
    () => effects({ ...on, initial: off }, undefined, on, true),
    ["leave", on],
  ],
};

describe("The effects of an update on the settings of a zone", () => {
  for (const [what, [found, expected]] of Object.entries(cases))
    it(`given ${what}`, () => assert.deepEqual(found(), expected));
});
