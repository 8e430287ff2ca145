import type { ShortRule } from "../../provider/small-engine/short-rule";

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

/** One of a set: its key is its description where it has no other. */
export type SetEntry = Omit<PolicyContent, "description"> & {
  readonly description?: string | undefined;
};

export function contentOf([key, entry]: readonly [string, SetEntry]): PolicyContent {
  return { ...entry, description: entry.description ?? key };
}

/** What all declarations have: the end, where a kind knows one, is to stay, or a word of its own. */
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
  /** A rule of the managed ruleset is changed as well. */
  readonly isAdjusted?: boolean;
  readonly timeoutMinutes?: number;
  readonly allowForget?: boolean;
  /** What a person has found out about an attempt without an answer. */
  readonly unclearAttempt?: { readonly startedAt: string; readonly outcome: "accepted" | "notAccepted" };
}

export type Declaration =
  | SettingsDeclaration
  | PolicyDeclaration
  | SetDeclaration
  | EntryDeclaration
  | MigrationDeclaration;

/** A program: declarations by their names, in its order. */
export type Declarations = ReadonlyMap<string, Declaration>;
