import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import type { ResourceChange } from "../../../../provider/src/model/effect";
import type { Properties } from "../../../../provider/src/model/properties";
import { ruleEffects } from "../../../../provider/src/resources/managed-waf-entrypoint/effects";

const skip = { action: "skip", expression: "true", description: "skip" };
const block = { action: "block", expression: "false", description: "block" };
const late = { action: "log", expression: "true", description: "late" };
const own = (rule: object) => ({ ...rule, id: Object(rule).description, ref: Object(rule).description });
const live = (...rules: readonly object[]): Rule[] =>
  rules.map((rule) => ({ enabled: true, ...own(rule) }) as Rule);
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Values of inputs that are not text. */
const marks: Readonly<Record<string, unknown>> = { "?": unknown, secret: Symbol("[secret]") };

/** Rules by name: `loud` is another spelling of `skip`; `wide` and `off` are other versions of `block`. */
const rules: Readonly<Record<string, object>> = {
  skip,
  loud: { ...skip, action: "SKIP" },
  block,
  late,
  wide: { ...block, expression: "true" },
  off: { ...block, enabled: false },
};

/**
 * Columns: title; rules in the state and declared rules, with other inputs (`?` is an unknown list, `nothing` no resource), of one
 * resource, or of the resources `old` and `new`; the rules of the zone; the expected effects. `first`: the replacement deletes first.
 */
const cases = `
  a new rule that skips | nothing -> skip | | create skip a new rule that skips
  an equal rule in the zone | nothing -> skip | skip | adopt skip
  another expression | skip block -> skip wide | skip block | update block different expression
  a rule that is removed | skip block -> skip | skip block | delete block no longer enforced
  a rule that skips before another one | block skip -> skip block | block skip | update skip will run before "block"
  an unmanaged rule that changes places with ours | block late -> late block foreignRules=keep | block skip late | update late will run before "skip", "block"; update skip will run before "block"
  a changed order | block -> block foreignRules=keep order=beforeForeign | skip block | update block will run before "skip"
  a changed order that is not known yet | block -> block foreignRules=keep order=? | skip block | update declared rules may move past the unmanaged ones
  an edit beside an unmanaged rule that was added later | block -> off foreignRules=keep | block skip | update block switched off
  an unmanaged rule that is overwritten | nothing -> skip foreignRules=overwrite | block | create skip a new rule that skips; lose block
  an unmanaged rule that may be overwritten | nothing -> foreignRules=? | block | lose block perhaps
  an unmanaged rule that stays | nothing -> foreignRules=keep | block |
  unknown rules | skip block -> ? | skip block | update rules that cannot be shown
  unknown rules during a migration, which passes them on | skip block -> ? | skip block, migrating | update passed on
  a destroy that restores | skip block initial=skip -> nothing | skip block | restore block no longer enforced; leave skip
  a destroy that puts back an overwritten rule that skips | block initial=skip -> nothing | block | restore block no longer enforced; restore skip a skip rule is restored
  a destroy that puts back a rule that skips, in another spelling | block initial=loud -> nothing | block | restore block no longer enforced; restore skip a skip rule is restored
  a destroy that puts back the content of an adopted rule | wide initial=off -> nothing | wide | restore block switched off
  a destroy that puts back the order | block skip initial=skip,block -> nothing | block skip | restore skip will run before "block"; leave block
  a destroy that puts a rule back before an unmanaged one | block initial=block,skip -> nothing | skip block | restore block will run before "skip"
  a destroy of adopted rules, one of which was edited | off late initial=block,late -> nothing | off late | restore block; leave late
  a destroy that removes | block initial=skip onDestroy=remove -> nothing | block late | delete block no longer enforced
  a destroy that keeps | skip block onDestroy=keep -> nothing | skip block | leave skip; leave block
  a destroy with a secret onDestroy | block initial=skip onDestroy=secret -> nothing | block late | delete block no longer enforced perhaps; restore skip a skip rule is restored perhaps
  a destroy with a secret onDestroy of a rule that was in the zone before | block initial=block onDestroy=secret -> nothing | block late | delete block no longer enforced perhaps
  a destroy that restores a secret list | block initial=secret -> nothing | block late | delete block no longer enforced perhaps; restore rules that cannot be shown perhaps
  a destroy that removes and has a secret initial list | block initial=secret onDestroy=remove -> nothing | block late | delete block no longer enforced
  a destroy that keeps and has a secret initial list | block initial=secret onDestroy=keep -> nothing | block late | leave block
  a list that is secret in the state | ? -> skip | skip | update rules that cannot be shown; adopt skip
  another name | block late initial=skip -> nothing; nothing -> block late foreignRules=keep | block late | new adopt block; new adopt late
  another name, and fewer rules | block late initial=skip -> nothing; nothing -> block foreignRules=keep | block late | new adopt block; old restore late no longer enforced
  another name and fewer rules after onDestroy keep | block late initial=skip onDestroy=keep -> nothing; nothing -> block foreignRules=keep | block late | new adopt block; old leave late
  another name, and fewer rules, one of which was there at first | block late initial=block,late -> nothing; nothing -> block foreignRules=keep | block late | new adopt block; old leave late
  another name, fewer rules and foreignRules overwrite | block late initial=late -> nothing; nothing -> block foreignRules=overwrite | block late skip | new adopt block; new delete late no longer enforced; new lose skip
  two resources with one list that are both deleted | block -> nothing; late -> nothing | block late | old restore block no longer enforced; new restore late no longer enforced
  two resources with one rule that are both deleted | block -> nothing; block late onDestroy=keep -> nothing | block late | old restore block no longer enforced; new leave late
  a replacement that deletes first | block late initial=late -> block late, first | block late | restore block no longer enforced; create block
  a replacement that deletes first, but keeps the rules | block late initial=late onDestroy=keep -> block late, first | block late |
`;

/** The list found before the first change: names of rules that were there, and with which content. */
function foundAtFirst(names: readonly string[]): Properties {
  return {
    rules: names.map((name) => own(rules[name] ?? {})),
    taken: names.map((name) => Object(rules[name]).description),
  };
}

/** Parses inputs or a state: rules by name, converted by `make`, and other inputs. */
function parseSide(text: string, make: (rule: object) => object): Properties | undefined {
  if (text === "nothing") return undefined;
  const words = text.split(" ").filter((word) => word !== "");
  const named = (names: readonly string[]) => names.flatMap((name) => rules[name] ?? []).map(make);
  const others = words.filter((word) => word.includes("=")).map((word) => word.split("="));
  return {
    rules: words.includes("?") ? unknown : named(words),
    ...Object.fromEntries(
      others.map(([input = "", value = ""]) => [
        input,
        marks[value] ?? (input === "initial" ? foundAtFirst(value.split(",")) : value),
      ]),
    ),
  };
}

/** Parses `skip block -> skip` into the change of a resource. */
function parseChange(text: string, name: string): ResourceChange {
  const [before = "", after = "", first] = text.split(/->|, /).map((part) => part.trim());
  const [was, becomes] = [parseSide(before, own), parseSide(after, (rule) => rule)];
  const differences = Object.keys({ ...becomes })
    .filter((path) => !first && was !== undefined && was[path] !== becomes?.[path])
    .map((path) => ({ path }));
  const op = first ? "replace" : was ? (becomes ? "update" : "delete") : "create";
  return {
    kind: "ManagedWafEntrypoint",
    urn: `urn:${name}`,
    name,
    id: "",
    isRetained: false,
    op,
    differences,
    isDeletedFirst: first !== undefined,
    ...(was && { was }),
    ...(becomes && { becomes }),
  };
}

describe("The effects of an update on the rules of an entry point", () => {
  for (const line of cases.trim().split("\n")) {
    const [what, change = "", zone = "", expected] = line.split("|").map((part) => part.trim());
    it(`given ${what}`, () => {
      const changes = change.split(";").map((text, index) => parseChange(text, index === 0 ? "old" : "new"));
      const names = zone.replace(", migrating", "").split(" ");
      const entrypoint = { rules: live(...names.flatMap((name) => rules[name] ?? [])) };
      const effects = ruleEffects(changes, { entrypoint }, zone.includes("migrating")).map(
        ({ by, fate, object, weaker, moved, isOpen, isPassedOn }) =>
          [
            ...[changes.length > 1 && by.name, fate, object.label, weaker, moved],
            ...[isOpen && "perhaps", isPassedOn && "passed on"],
          ]
            .filter(Boolean)
            .join(" "),
      );
      assert.equal(effects.join("; "), expected);
    });
  }
});
