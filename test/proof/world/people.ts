import type { RuleSeed, Simulator } from "../../../simulator/src";
import { ruleSeed, type ShortRule } from "../../provider/small-engine/short-rule";
import { type Zone, zones } from "./declarations";
import type { PolicyBook } from "./policy-book";
import { policyFields } from "./program";
import type { RuleBook } from "./rule-book";
import { names, type SettingsBook, switches } from "./settings-book";
import type { Act } from "./story";

/** The people who use the dashboard, and the books about who owns each object. */
export interface People {
  readonly sim: Simulator;
  readonly books: Readonly<Record<Zone, { policies: PolicyBook; rules: RuleBook; settings: SettingsBook }>>;
  /** Counter in names, so that no two created objects are equal by accident. */
  count: number;
}

/** Carries out an act in the dashboard, and notes it in the books. */
export function actOf(people: People, act: Act): void {
  const { sim, books } = people;
  const zoneId = zones[act.zone];
  const book = books[act.zone];
  const { policies, entrypoint, settings, waf } = sim.zones.get(zoneId);
  const rules = entrypoint?.rules ?? [];
  people.count += 1;
  switch (act.act) {
    case "add policy": {
      const content = act.like ? policyFields(act.like) : { description: `somebody's ${people.count}` };
      book.policies.added(sim.dashboard.putPolicy(zoneId, content));
      return;
    }
    case "delete policy":
    case "edit policy": {
      const policy = policies[act.place % Math.max(policies.length, 1)];
      if (!policy) return;
      if (act.act === "edit policy") {
        const edit = { id: policy.id, description: `edited ${people.count}` };
        book.policies.edited(sim.dashboard.putPolicy(zoneId, edit));
        return;
      }
      sim.dashboard.deletePolicy(zoneId, policy.id);
      book.policies.deleted(policy.id);
      return;
    }
    case "switch": {
      const name = switches[act.which] ?? "enabled";
      const field = names[name];
      sim.dashboard.setSettings(zoneId, { [field]: !settings[field] });
      book.settings.switched(name, !settings[field]);
      return;
    }
    case "add rule": {
      const position = Math.min(act.place, rules.length);
      const isNamed = rules.some(({ ref }) => ref === act.like?.ref);
      const before = [...rules];
      book.rules.added(sim.dashboard.addRule(zoneId, ruleLike(people, act.like, isNamed), position), before);
      return;
    }
    case "move rule": {
      const moved = [...rules];
      const [rule] = moved.splice(act.place % Math.max(rules.length, 1), 1);
      if (rule === undefined) return;
      moved.splice(act.to % rules.length, 0, rule);
      // Save the whole list, as a dashboard does.
      sim.dashboard.putEntrypoint(zoneId, { rules: moved });
      book.rules.moved();
      return;
    }
    case "finish migration":
      if (waf.stage === "validation") sim.dashboard.turnOffPreviousVersion(zoneId);
      return;
    case "become ineligible":
      sim.dashboard.setWaf(zoneId, { eligible: false });
      return;
    default: {
      // Count from the end of the list, because the stack's rules are there.
      const rule = rules.at(-1 - (act.place % Math.max(rules.length, 1)));
      if (!rule) return;
      if (act.act === "twin rule") {
        const { id: _id, ref: _ref, version: _version, last_updated: _updated, ...content } = rule;
        book.rules.copied(sim.dashboard.addRule(zoneId, content, act.place % (rules.length + 1)));
      } else if (act.act === "delete rule") {
        sim.dashboard.deleteRule(zoneId, rule.id);
        book.rules.deleted(rule.id);
      } else {
        const description = `edited ${people.count}`;
        book.rules.edited(sim.dashboard.changeRule(zoneId, rule.id, { description }));
      }
    }
  }
}

function ruleLike({ count }: People, like: ShortRule | undefined, isNamed: boolean): RuleSeed {
  if (like) return ruleSeed(isNamed ? { ...like, ref: undefined } : like);
  return {
    action: "skip",
    expression: `ip.src eq 192.0.2.${count}`,
    description: `somebody's ${count}`,
    action_parameters: { ruleset: "current" },
  };
}
