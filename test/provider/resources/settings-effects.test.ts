import assert from "node:assert/strict";
import type { Properties } from "../../../provider/src/model/properties";
import { settingsEffects } from "../../../provider/src/resources/page-guard-settings/effects";

const words: Readonly<Record<string, Properties>> = {
  on: { enabled: true },
  off: { enabled: false },
  path: { useConnectionUrlPath: true },
  noPath: { useConnectionUrlPath: false },
};

const secret = Symbol("[secret]");

/** Columns: title; state and declared inputs; the zone's settings; the fate, the switches afterwards, and what becomes weaker. */
const cases = `
  settings that are as declared | -> on | on | adopt on
  settings that differ | -> on | off | update on
  settings of a zone that was not read | -> on | | create on
  monitoring that is switched off | on -> off | on | update off, monitoring switched off
  an update to settings that the zone has already | on -> off | off |
  a switch that is no longer declared | on path initial=off,noPath -> on | on path | update on noPath
  a switch that is no longer declared and is kept | on path initial=noPath -> on onDestroy=keep | on path |
  a destroy that restores | on initial=off -> | on | restore off, monitoring switched off
  a destroy that restores the current settings | on initial=on -> | on | leave on
  a destroy that leaves an undeclared switch | on initial=off -> | on path | restore off path, monitoring switched off
  a destroy that switches off | on onDestroy=disable -> | on | update off, monitoring switched off
  a destroy with a secret onDestroy | on path onDestroy=? initial=on -> | on path | restore, perhaps monitoring switched off
  a destroy with a secret onDestroy while monitoring is off | off onDestroy=? initial=off -> | off | restore, perhaps
  a removal from the state with a secret onDestroy | retained on onDestroy=? initial=off -> | on | leave on
  a switch that is no longer declared, with a secret onDestroy | on path initial=noPath -> on onDestroy=? | on path | update on, perhaps
  a secret switch | on -> enabled=? | on | update, perhaps monitoring switched off
  a destroy that restores secret settings | on initial=? -> | on | restore, perhaps monitoring switched off
  a destroy that restores secret settings of a zone that was not read | enabled=? initial=? -> | | restore, perhaps monitoring switched off
  a destroy that keeps and has secret initial settings | on onDestroy=keep initial=? -> | on | leave on
  a destroy that keeps | on onDestroy=keep initial=off -> | on | leave on
  a resource that is only removed from the state | retained on initial=off -> | on | leave on
`;

function parse(text: string): Properties | undefined {
  if (text === "") return undefined;
  const parts = text.split(" ").map((part) => {
    const [name = "", value = ""] = part.split("=");
    if (value === "?") return { [name]: secret };
    return words[part] ?? { [name]: name === "initial" ? parse(value.replace(",", " ")) : value };
  });
  return Object.assign({}, ...parts);
}

describe("The effects of an update on the settings of a zone", () => {
  for (const line of cases.trim().split("\n")) {
    const [what, change = "", zone = "", expected] = line.split("|").map((part) => part.trim());
    it(`given ${what}`, () => {
      const [was, becomes] = change.split("->").map((part) => parse(part.replace("retained", "").trim()));
      const one = { kind: "PageGuardSettings", urn: "urn:watch", name: "watch", id: "", differences: [] };
      const op = was ? (becomes ? "update" : "delete") : "create";
      const isRetained = change.includes("retained");
      const resource = { ...one, op, isRetained, ...(was && { was }), ...(becomes && { becomes }) };
      const effects = settingsEffects([resource], { settings: parse(zone) }).map(
        ({ fate, after, weaker, isOpen }) => {
          const left = Object.entries(after ?? {}).flatMap(
            ([input, value]) => Object.keys(words).find((word) => words[word]?.[input] === value) ?? [],
          );
          const how = [isOpen && "perhaps", weaker].filter(Boolean).join(" ");
          return [[fate, ...left].join(" "), ...(how ? [how] : [])].join(", ");
        },
      );
      assert.deepEqual(effects, expected ? [expected] : []);
    });
  }
});
