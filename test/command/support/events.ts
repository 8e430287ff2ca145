/** Lines of the engine's event stream (CLI 3.259), for tests without the engine. */
export const story = "urn:pulumi:dev::story::";

export interface StepOptions {
  readonly name: string;
  readonly kind?: string;
  readonly op: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly diff?: Readonly<Record<string, string>>;
  readonly id?: string;
  /** Name in the state, of a resource that an alias renames. */
  readonly oldName?: string;
  /** Outputs in the state. */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /** The resource option retainOnDelete. */
  readonly retainOnDelete?: boolean;
}

export const secretInEvent = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "[secret]",
};

export function urnOf(name: string, kind = "CspPolicy"): string {
  return `${story}pulumi-nodejs:dynamic/page-guard:${kind}::${name}`;
}

export function stackStep(): string {
  const metadata = { op: "same", urn: `${story}pulumi:pulumi:Stack::story-dev`, type: "pulumi:pulumi:Stack" };
  return JSON.stringify({
    resourcePreEvent: { metadata: { ...metadata, detailedDiff: null }, planning: true },
  });
}

export function step({
  name,
  kind = "CspPolicy",
  op,
  before,
  after,
  diff,
  id = "",
  oldName = name,
  recorded,
  retainOnDelete,
}: StepOptions): string {
  const provider = `exports.handler=()=>require("pulumi-page-guard/runtime").${kind}`;
  const side = (inputs: object | undefined) =>
    inputs && { id, inputs: { ...inputs, __provider: provider }, outputs: {} };
  const metadata = {
    op,
    urn: urnOf(name, kind),
    type: `pulumi-nodejs:dynamic/page-guard:${kind}`,
    old:
      before === undefined
        ? null
        : { ...side(before), urn: urnOf(oldName, kind), outputs: recorded ?? {}, retainOnDelete },
    new: side(after) ?? null,
    detailedDiff: diff
      ? Object.fromEntries(
          Object.entries(diff).map(([path, diffKind]) => [path, { diffKind, inputDiff: true }]),
        )
      : null,
  };
  return JSON.stringify({ resourcePreEvent: { metadata, planning: true } });
}

export function diagnostic(severity: string, message: string, urn?: string): string {
  return JSON.stringify({
    diagnosticEvent: {
      ...(urn !== undefined && { urn }),
      prefix: `${severity}: `,
      message,
      color: "never",
      severity,
    },
  });
}

export function summary(result: "succeeded" | "failed" = "succeeded"): string {
  return JSON.stringify({ summaryEvent: { isPreview: true, result, resourceChanges: {} } });
}
