import type { Entrypoint, EntrypointBody, Rule } from "../../api/client-types";
import { ownById } from "./ownership";
import { restored } from "./restore";
import { body, isSameList } from "./rule-list";
import type { Recorded, State } from "./state";

/**
 * What a resource has in the list although its successor has not adopted it: that one was created without reading
 * this record (under another name without an alias, or by `--replace`). By their ids alone: what is merely like them
 * may be the successor's, or anybody's. `held`: ids of the successor's rules.
 */
export function leftOver(
  state: State,
  held: ReadonlySet<string>,
  live: Entrypoint | undefined,
): ReadonlyMap<Rule, Recorded> {
  return new Map([...ownById(state, live)].filter(([{ id }]) => id !== undefined && !held.has(id)));
}

/**
 * The list without that; undefined where it is so already. What was adopted is restored as it was found, and
 * nothing is recreated: the successor has decided what else is in the list, and what it is called.
 */
export function withoutLeftOver(
  { initial, onDestroy = "restore" }: State,
  rest: ReadonlyMap<Rule, Recorded>,
  live: Entrypoint,
): EntrypointBody | undefined {
  const there = new Set(live.rules.map(({ id }) => id));
  const rules =
    initial && onDestroy === "restore"
      ? restored({ ...initial, taken: initial.taken.filter((id) => there.has(id)) }, rest, live.rules)
      : live.rules.filter((rule) => !rest.has(rule));
  return isSameList(rules, live.rules) ? undefined : body(live, live.name, rules);
}
