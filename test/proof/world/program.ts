import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import { managedRulesetId } from "../../../simulator/src/state/waf-migration";
import type { Properties } from "../../provider/small-engine/checkpoint";
import type { Program } from "../../provider/small-engine/operation";
import type { KindOf } from "../../provider/small-engine/provider-process";
import { ruleInputs } from "../../provider/small-engine/short-rule";

import {
  type Declaration,
  type Declarations,
  type PolicyContent,
  type SetEntry,
  zones,
} from "./declarations";

const kinds: Readonly<Record<string, Kind<never, never>>> = {
  s: pageGuardSettings as never,
  p: cspPolicy as never,
  t: cspPolicySet as never,
  e: managedWafEntrypoint as never,
  m: wafMigrationStep as never,
};

/** Returns the kind of a resource, from the first letter of its name. */
export const kindOf: KindOf = (name) => kinds[name.charAt(0)] as never;

/** A rule of the managed ruleset that a migration overrides. */
const override = { rulesetId: managedRulesetId, ruleId: "f".repeat(32), action: "log" };

export function programOf(declarations: Declarations): Program {
  return Object.fromEntries([...declarations.values()].map((one) => [one.name, inputsOf(one)]));
}

function inputsOf(one: Declaration): Properties {
  const zoneId = zones[one.zone];
  switch (one.kind) {
    case "settings":
      return known({ zoneId, ...one.switches, onDestroy: one.onDestroy });
    case "policy":
      return known({ zoneId, ...policyInputs(one.content), onDestroy: one.onDestroy, lint: "off" });
    case "set":
      return known({
        zoneId,
        policies: Object.fromEntries(
          Object.entries(one.policies).map(([key, content]) => [key, known(policyInputs(content))]),
        ),
        others: one.others,
        onDestroy: one.onDestroy,
        lint: "off",
      });
    case "entry":
      return known({
        zoneId,
        rules: one.rules.map(ruleInputs),
        foreignRules: one.foreignRules,
        name: one.listName,
        onDestroy: one.onDestroy,
      });
    case "migration":
      return known({
        zoneId,
        confirm: zoneId,
        stage: one.stage,
        timeoutMinutes: one.timeoutMinutes ?? 90,
        ruleOverrides: one.isAdjusted ? [override] : undefined,
        allowForget: one.allowForget,
        unclearAttempt: one.unclearAttempt,
      });
  }
}

function policyInputs({ description, text, action, enabled }: SetEntry): Properties {
  return {
    description,
    action,
    value: texts[text],
    expression: 'http.host eq "shop.example.com"',
    // True is the default.
    ...(!enabled && { enabled }),
  };
}

const texts = ["img-src 'self'", "font-src 'self'", "script-src 'self'; object-src 'none'"];

/** Returns the fields of a policy in the service. */
export function policyFields(content: PolicyContent) {
  return { ...policyInputs(content), enabled: content.enabled } as {
    description: string;
    action: string;
    value: string;
    expression: string;
    enabled: boolean;
  };
}

function known(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
}
