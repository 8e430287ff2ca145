import type {
  CspPolicyArgs,
  CspPolicySetArgs,
  ManagedWafEntrypointArgs,
  PageGuardSettingsArgs,
  WafMigrationArgs,
} from "../../../provider/src";

/** A value that plain data cannot express; `program.js` makes it. */
export interface Marker {
  readonly $output?: readonly [resource: string, ...path: string[]];
  readonly $secret?: unknown;
  readonly $text?: readonly unknown[];
  readonly $faces?: readonly [shown: unknown, done: unknown];
}

/** The arguments, with plain data in place of `Input<>`. Any type fits, because stories about bad input need wrong types. */
type Plain<T> = { readonly [Name in keyof T]: unknown };

export interface Options {
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean | Marker;
  readonly aliases?: readonly { readonly name: string }[];
  /** Names of resources that are declared earlier. `parent`, `deletedWith` and `replaceWith` have such names, too. */
  readonly dependsOn?: readonly string[];
  readonly parent?: string;
  readonly deletedWith?: string | Marker;
  readonly replaceWith?: Marker;
  readonly replacementTrigger?: unknown;
  readonly hideDiffs?: Marker;
  /** The name of a hook that does nothing. */
  readonly hooks?: Marker;
  readonly customTimeouts?: Marker;
  readonly additionalSecretOutputs?: Marker;
  /** Reads the existing object with this id instead of declaring one. */
  readonly id?: string;
  readonly ignoreChanges?: readonly string[];
  readonly import?: string;
  readonly replaceOnChanges?: readonly string[] | Marker;
  readonly deleteBeforeReplace?: boolean | Marker;
}

/** One resource of a program. */
export interface Declared {
  readonly kind:
    | "Component"
    | "Export"
    | "PageGuardSettings"
    | "CspPolicy"
    | "CspPolicySet"
    | "ManagedWafEntrypoint"
    | "WafMigration"
    // The example in CONTRIBUTING.md.
    | "CspNote";
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: Options;
}

/** The resources by their names, in the order of the program. */
export type Declaration = Readonly<Record<string, Declared>>;

/** A component of the program; resources name it as their parent. */
export function component(options: Options = {}): Declared {
  return { kind: "Component", args: {}, options };
}

/** An output of the stack. */
export function exported(value: Marker): Declared {
  return { kind: "Export", args: { value }, options: {} };
}

export function settings(args: Partial<Plain<PageGuardSettingsArgs>>, options: Options = {}): Declared {
  return { kind: "PageGuardSettings", args, options };
}

/** A valid policy, with `args` in place of its usual arguments. */
export function policy(args: Partial<Plain<CspPolicyArgs>>, options: Options = {}): Declared {
  const usual = {
    description: "checkout",
    action: "log",
    expression: 'http.host eq "shop.example.com"',
    ...(!("directives" in args) && {
      value: "script-src 'self' https://js.example.com; object-src 'none'; base-uri 'self'",
    }),
  };
  return { kind: "CspPolicy", args: { ...usual, ...args }, options };
}

/** A set of valid policies, with `args.policies` in place of their usual arguments. */
export function policySet(
  args: Omit<Partial<Plain<CspPolicySetArgs>>, "policies"> & {
    readonly policies: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  },
  options: Options = {},
): Declared {
  const policies = Object.fromEntries(
    Object.entries(args.policies).map(([key, entry]) => [
      key,
      { ...policy(entry).args, description: key, ...entry },
    ]),
  );
  return { kind: "CspPolicySet", args: { ...args, policies }, options };
}

export function entrypoint(args: Partial<Plain<ManagedWafEntrypointArgs>>, options: Options = {}): Declared {
  return { kind: "ManagedWafEntrypoint", args, options };
}

/** A migration to the stage `finished`, with `args` in place of its usual arguments. */
export function migration(args: Partial<Plain<WafMigrationArgs>>, options: Options = {}): Declared {
  return { kind: "WafMigration", args: { stage: "finished", confirm: args.zoneId, ...args }, options };
}

/** An output of a resource declared earlier, or a part of it. `id` is unknown until that resource exists. */
export function outputOf(resource: string, ...path: string[]): Marker {
  return { $output: [resource, ...path] };
}

export function secret(value: unknown): Marker {
  return { $secret: value };
}

/** Text made of plain parts and of outputs. */
export function text(...parts: readonly unknown[]): Marker {
  return { $text: parts };
}

/** A value that differs: the program declares `shown` in previews and `done` in updates. */
export function faces(shown: unknown, done: unknown): Marker {
  return { $faces: [shown, done] };
}
