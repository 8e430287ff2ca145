import type { Ended } from "./engine";

/** One step of a preview. */
export interface Step {
  /** `create`, `same`, `update`, `replace`, `delete`, `create-replacement`, `delete-replaced`, `read`, … */
  readonly op: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** Paths of the properties that differ, in alphabetical order: `rules[0].expression`. */
  readonly differences: readonly string[];
}

export interface Message {
  readonly severity: string;
  readonly text: string;
  /** The resource's name in the program; undefined for a message about the stack. */
  readonly name: string | undefined;
}

export interface Preview {
  /** The steps of this package's resources, without those of the stack and the provider. */
  readonly steps: readonly Step[];
  readonly messages: readonly Message[];
  readonly output: string;
}

/** The part of `pulumi preview --json` that is used here. */
interface Digest {
  readonly steps?: readonly {
    readonly op: string;
    readonly urn: string;
    readonly detailedDiff?: Readonly<Record<string, unknown>> | null;
    readonly diffReasons?: readonly string[] | null;
  }[];
  readonly diagnostics?: readonly {
    readonly urn?: string;
    readonly message?: string;
    readonly severity?: string;
  }[];
}

export function readPreview({ stdout, output }: Ended): Preview {
  const digest: Digest = JSON.parse(stdout);
  return {
    steps: (digest.steps ?? [])
      .filter(({ urn }) => isOurs(urn))
      .map(({ op, urn, detailedDiff, diffReasons }) => ({
        op,
        name: nameOf(urn),
        differences: differencesOf(detailedDiff ?? {}, diffReasons ?? []),
      })),
    messages: (digest.diagnostics ?? []).map(({ urn, message = "", severity = "" }) => ({
      severity,
      text: message,
      name: urn === undefined || urn === "" ? undefined : nameOf(urn),
    })),
    output,
  };
}

function differencesOf(detailed: object, reasons: readonly string[]): string[] {
  const paths = Object.keys(detailed);
  return [...(paths.length > 0 ? paths : reasons)].sort();
}

/** Whether a resource is one of this package, dynamic or of its plugin, and not the component around one. */
export function isOurs(urn: string): boolean {
  const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
  return /^(pulumi-nodejs:dynamic\/page-guard|page-guard:index):(?!WafMigration$)/.test(type);
}

/** The resource's name: the part after stack, project and type, which may contain `::`. */
export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** One line per step that changes something: `update checkout: action, value`. Sorted, because the engine's order varies. */
export function changesOf({ steps }: Preview): string[] {
  return steps
    .filter(({ op }) => op !== "same" && op !== "refresh")
    .map(({ op, name, differences }) =>
      [`${op} ${name}`, ...(differences.length > 0 ? [differences.join(", ")] : [])].join(": "),
    )
    .sort();
}
