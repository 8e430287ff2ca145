import type { ShortRule } from "../../provider/small-engine/short-rule";

/** Zones `a` and `b` are on the new WAF, `m` is still to be migrated, and no program declares objects of `q`. */
export const zones = {
  a: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
  b: "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
  m: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
  q: "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
} as const;
export type Zone = Exclude<keyof typeof zones, "q">;
export const ourZones = ["a", "b", "m"] as const;

/** Content of a policy, with few possible values, so that policies are often equal in short stories. */
export interface PolicyContent {
  readonly description: string;
  readonly text: number;
  readonly action: "log" | "allow";
  readonly enabled: boolean;
}

/** A policy of a set. Its key is its description if it has no other. */
export type SetEntry = Omit<PolicyContent, "description"> & {
  readonly description?: string | undefined;
};

export function contentOf([key, entry]: readonly [string, SetEntry]): PolicyContent {
  return { ...entry, description: entry.description ?? key };
}

/** Fields of all declarations. `onDestroy` is `keep` or a value of the kind. */
interface Declared<Kind extends string, End extends string, In extends Zone = Zone> {
  readonly kind: Kind;
  readonly name: string;
  readonly zone: In;
  readonly onDestroy?: End | "keep" | undefined;
}

export interface SettingsDeclaration extends Declared<"settings", "restore" | "disable"> {
  readonly switches: {
    readonly enabled: boolean;
    readonly useVendorReportingEndpoint?: boolean | undefined;
    readonly useConnectionUrlPath?: boolean | undefined;
  };
}

export interface PolicyDeclaration extends Declared<"policy", "delete"> {
  readonly content: PolicyContent;
}

export interface SetDeclaration extends Declared<"set", "delete"> {
  readonly policies: Readonly<Record<string, SetEntry>>;
  readonly others: "keep" | "refuse" | "delete";
}

export interface EntryDeclaration extends Declared<"entry", "restore" | "remove", "a" | "b"> {
  readonly rules: readonly ShortRule[];
  readonly foreignRules: "refuse" | "keep" | "overwrite";
  readonly listName?: string | undefined;
}

export interface MigrationDeclaration extends Omit<Declared<"migration", never, "m">, "onDestroy"> {
  readonly stage: "validation" | "finished";
  /** Whether the migration also overrides a rule of the managed ruleset. */
  readonly isAdjusted?: boolean;
  readonly timeoutMinutes?: number;
  readonly allowForget?: boolean;
  /** A person's answer about an attempt whose result is unclear. */
  readonly unclearAttempt?: { readonly startedAt: string; readonly outcome: "accepted" | "notAccepted" };
}

export type Declaration =
  | SettingsDeclaration
  | PolicyDeclaration
  | SetDeclaration
  | EntryDeclaration
  | MigrationDeclaration;

/** A program: its declarations by name, in order. */
export type Declarations = ReadonlyMap<string, Declaration>;
