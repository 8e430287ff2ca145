import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import type { KindOf, Program, Properties } from "../../small-engine/small-engine";

/** Zones `a` and `b` are on the new WAF, `m` is to be migrated, and nobody declares anything of `q`. */
export const zones = {
  a: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
  b: "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
  m: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
  q: "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
} as const;
export type Zone = Exclude<keyof typeof zones, "q">;
export const ourZones = ["a", "b", "m"] as const;

/** What a policy says, in a few words: stories are short where policies meet often. */
export interface PolicyContent {
  readonly description: string;
  readonly text: number;
  readonly action: "log" | "allow";
  readonly enabled: boolean;
}

/** What a rule of the entry point says. */
export interface RuleContent {
  readonly name: string;
  readonly edition: number;
  readonly ref?: string | undefined;
}

export interface SettingsDeclaration {
  readonly kind: "settings";
  readonly name: string;
  readonly zone: Zone;
  readonly switches: {
    readonly enabled: boolean;
    readonly useVendorReportingEndpoint?: boolean | undefined;
    readonly useConnectionUrlPath?: boolean | undefined;
  };
  readonly onDestroy?: "restore" | "disable" | "keep" | undefined;
}

export interface PolicyDeclaration {
  readonly kind: "policy";
  readonly name: string;
  readonly zone: Zone;
  readonly content: PolicyContent;
  readonly onDestroy?: "delete" | "keep" | undefined;
}

export interface SetDeclaration {
  readonly kind: "set";
  readonly name: string;
  readonly zone: Zone;
  readonly policies: Readonly<Record<string, PolicyContent>>;
  readonly others: "keep" | "refuse" | "delete";
  readonly onDestroy?: "delete" | "keep" | undefined;
}

export interface EntryDeclaration {
  readonly kind: "entry";
  readonly name: string;
  readonly zone: "a" | "b";
  readonly rules: readonly RuleContent[];
  readonly foreignRules: "refuse" | "keep" | "overwrite";
  readonly listName?: string | undefined;
  readonly onDestroy?: "restore" | "remove" | "keep" | undefined;
}

export interface MigrationDeclaration {
  readonly kind: "migration";
  readonly name: string;
  readonly zone: "m";
  readonly stage: "validation" | "finished";
  readonly allowForget?: boolean;
}

export type Declaration =
  | SettingsDeclaration
  | PolicyDeclaration
  | SetDeclaration
  | EntryDeclaration
  | MigrationDeclaration;

export type Edit = Declaration | { readonly remove: string };

/** A program: declarations by their names, in its order. */
export type Declarations = ReadonlyMap<string, Declaration>;

/**
 * The program after some edits. What nobody would write, because each preview refuses it, gives way to the last edit: two
 * settings or entry points for a zone, anything beside an exact set, a migration that is taken back.
 */
export function edited(before: Declarations, edits: readonly Edit[]): Declarations {
  const program = new Map(before);
  for (const edit of edits) {
    if ("remove" in edit) {
      if (program.get(edit.remove)?.kind !== "migration") program.delete(edit.remove);
      continue;
    }
    for (const [name, other] of program)
      if (name !== edit.name && excludes(edit, other)) program.delete(name);
    const old = program.get(edit.name);
    const isOver = old?.kind === "migration" && old.stage === "finished";
    const isBackwards = isOver && edit.kind === "migration" && edit.stage === "validation";
    if (!isBackwards) program.set(edit.name, edit);
  }
  return program;
}

function excludes(edit: Declaration, other: Declaration): boolean {
  if (edit.zone !== other.zone) return false;
  if (edit.kind === other.kind && (edit.kind === "settings" || edit.kind === "entry")) return true;
  const isExact = (one: Declaration): boolean => one.kind === "set" && one.others !== "keep";
  const hasPolicies = (one: Declaration): boolean => one.kind === "set" || one.kind === "policy";
  return hasPolicies(edit) && hasPolicies(other) && (isExact(edit) || isExact(other));
}

const kinds: Readonly<Record<string, Kind<never, never>>> = {
  s: pageGuardSettings as never,
  p: cspPolicy as never,
  t: cspPolicySet as never,
  e: managedWafEntrypoint as never,
  m: wafMigrationStep as never,
};

/** The first letter of a name says what it is. */
export const kindOf: KindOf = (name) => kinds[name.charAt(0)] as never;

export function programOf(declarations: Declarations): Program {
  const all = [...declarations.values()];
  const beside = all.flatMap((one) =>
    one.kind === "policy" ? [{ name: one.name, args: inputsOf(one) }] : [],
  );
  return Object.fromEntries(
    all.map((one) => [one.name, one.kind === "set" ? { ...inputsOf(one), __beside: beside } : inputsOf(one)]),
  );
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
        timeoutMinutes: 90,
        allowForget: one.allowForget,
      });
  }
}

function policyInputs({ description, text, action, enabled }: PolicyContent): Properties {
  return {
    description,
    action,
    value: texts[text],
    expression: 'http.host eq "shop.example.com"',
    // True is what it is without.
    ...(!enabled && { enabled }),
  };
}

const texts = ["img-src 'self'", "font-src 'self'", "script-src 'self'; object-src 'none'"];

/** As the service keeps it. */
export function policyFields(content: PolicyContent) {
  return { ...policyInputs(content), enabled: content.enabled } as {
    description: string;
    action: string;
    value: string;
    expression: string;
    enabled: boolean;
  };
}

function ruleInputs(content: RuleContent): Properties {
  const { action_parameters: parameters, ...rule } = ruleFields(content);
  if (content.name === "run") return { ...rule, actionParameters: parameters };
  return { ...rule, actionParameters: { extra: parameters } };
}

/** As somebody writes it in the dashboard. */
export function ruleFields({ name, edition, ref }: RuleContent) {
  const common = { description: name, ...(ref !== undefined && { ref }) };
  return name === "run"
    ? {
        ...common,
        action: "execute",
        expression: "true",
        action_parameters: {
          id: "1".repeat(32),
          overrides: { rules: [{ id: "a".repeat(32), action: edition === 1 ? "log" : "block" }] },
        },
      }
    : {
        ...common,
        action: "skip",
        expression: `http.host eq "${name}${edition}"`,
        action_parameters: { ruleset: "current" },
      };
}

function known(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
}
