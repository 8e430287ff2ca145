import {
  engineMarks,
  findKind,
  getAtPath,
  parseJson,
  parseKind,
  parseZoneId,
  pluginTypePrefix,
  providerText,
  readMark,
  refusalOfRemediation,
  urnParts,
} from "pulumi-page-guard/tools";
import type { Place } from "../documents/review/review";
import { asRecord } from "../shared/values";
import {
  type EngineEvent,
  lineSchema,
  parseEvents,
  readMessages,
  type StepMetadata,
  stripColour,
} from "./events";
import { countSecrets, OpenedSecrets } from "./opened-secrets";
import {
  type Difference,
  makeFinding,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  secretValue,
  unknownValue,
  type Values,
  withProperty,
} from "./preview-read";

/** Reads a preview from the lines of its event stream and of its findings file (PAGE_GUARD_FINDINGS). Skips all other lines. */
export function readEvents(lines: Iterable<string>, findingLines: Iterable<string> = []): PreviewRead {
  const begun: StepMetadata[] = [];
  const refreshed: StepMetadata[] = [];
  const beingRefreshed = new Set<string>();
  const shown: ReadFinding[] = [];
  const opened = new OpenedSecrets();
  const remediated = new Set<string>();
  let first: string | undefined;
  let result: PreviewRead["result"] = "unfinished";
  for (const event of parseEvents(lines)) {
    const [step, done] = [event.resourcePreEvent?.metadata, event.resOutputsEvent?.metadata];
    first ??= step?.urn;
    if (step?.op === "refresh") beingRefreshed.add(oldKey(step));
    else if (step) begun.push(step);
    if (done && beingRefreshed.delete(oldKey(done)))
      refreshed.push({ ...done, op: done.new && done.op !== "delete" ? "update" : "delete" });
    shown.push(...readFindings(event));
    opened.add(event);
    if (event.policyRemediationEvent) remediated.add(event.policyRemediationEvent.resourceUrn ?? "");
    // Older engines do not report a failure in this event, but only by the exit code.
    if (event.summaryEvent) result = event.summaryEvent.result === "failed" ? "failed" : "succeeded";
  }
  const positions = new Map<string, Place>();
  const fromFile: ReadFinding[] = [];
  for (const line of findingLines) {
    const { data } = lineSchema.safeParse(parseJson(line));
    if (data?.kind === "position") positions.set(data.urn, { file: data.file, line: data.line });
    else if (data) fromFile.push(makeFinding(data));
  }
  const hide = (step: StepMetadata) => opened.hide(step);
  const { steps, forged } = readSteps(begun.map(hide), positions);
  const zones = new Map(steps.map(({ urn, zone }) => [urn, zone]));
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(first ?? "") ?? [];
  return {
    stack,
    project,
    steps: steps.map((step) => ({ ...step, isRemediated: remediated.has(step.urn) })),
    result,
    refreshed: readSteps(refreshed.map(hide), positions).steps.filter(
      ({ op, differences }) => op === "delete" || differences.length > 0,
    ),
    findings: mergeFindings(fromFile, [...forged, ...shown]).map((one) => {
      const place = one.file === undefined ? positions.get(one.urn ?? "") : one;
      return { ...one, zone: zones.get(one.urn ?? "") ?? one.zone, file: place?.file, line: place?.line };
    }),
  };
}

/** Text that the engine puts before a message from `check`. */
const headOfSdk = /^\S+ resource '.*?' has a problem: /;

function readFindings(event: EngineEvent): ReadFinding[] {
  const messages = readMessages(event).flatMap(({ severity, urn, text }) =>
    codedTexts(text.replace(headOfSdk, "")).map((coded) =>
      makeFinding({
        severity: severity === "error" || severity === "warning" ? severity : "info",
        urn,
        ...coded,
      }),
    ),
  );
  const { policyEvent: broken } = event;
  if (!broken) return [...messages, ...remediationFindings(event)];
  const { policyPackName: pack, policyName: policy } = broken;
  const violation = makeFinding({
    code: `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-"),
    severity: broken.enforcementLevel === "mandatory" ? "error" : "warning",
    urn: broken.resourceUrn || undefined,
    text: `Policy pack ${pack}, ${policy}: ${stripColour(broken.message)}`,
  });
  return [...messages, violation];
}

/**
 * Returns errors about changes that a policy pack must not make to a resource of this package. A pack must not change certain
 * inputs, because the provider does not see the change when it previews a new resource. A pack must not return a secret as plain
 * text, because the state and the plan of the engine would then contain the plain text.
 */
function remediationFindings({ policyRemediationEvent: one }: EngineEvent): ReadFinding[] {
  const { resourceUrn: urn = "", before, after } = one ?? {};
  const kind = findKind(parseKind(urnParts(urn).type));
  if (kind === undefined) return [];
  const [was, becomes] = [asRecord(plainValues(before)), asRecord(plainValues(after))];
  const names = Object.keys({ ...was, ...becomes });
  const policy = `The policy ${one?.policyName} of the pack ${one?.policyPackName}`;
  const refuse = (code: string, text: string) => [
    makeFinding({ code, severity: "error", urn, text: `${policy} ${text}`, isShown: true }),
  ];
  const refusal = refusalOfRemediation(kind, was, becomes);
  if (refusal !== undefined) return refuse("remediation-refused", refusal);
  const opened = names.filter((name) => countSecrets(was[name]) > countSecrets(becomes[name]));
  if (opened.length === 0) return [];
  return refuse(
    "remediation-opens-secret",
    `returned the secret ${opened.join(", ")} as plain text, which the state would then contain. This happens if the policy returns a copy of the properties, such as { ...props }. Change props itself and return it.`,
  );
}

/** Splits a message into texts with codes. A code is in brackets at the end of a line: in kebab case, or `PG_…` for an error. */
function codedTexts(message: string): Pick<ReadFinding, "text" | "code">[] {
  const pieces = message.split(/ \[((?:PG_)?[A-Z_]+|[a-z][a-z0-9-]*)\](?=\n|$)/);
  return pieces.flatMap((piece, at) => {
    const [text, code = ""] = [piece.trim(), pieces[at + 1]];
    return at % 2 === 1 || (text === "" && code === "") ? [] : [{ text, code }];
  });
}

/**
 * Merges findings, so that each appears once: the engine checks a replacement twice, and its messages repeat findings in the
 * file. The severity in the message of the engine wins.
 */
function mergeFindings(fromFile: readonly ReadFinding[], shown: readonly ReadFinding[]): ReadFinding[] {
  const all = new Map(fromFile.map((finding) => [makeKey(finding), finding]));
  for (const one of shown) {
    const known = all.get(makeKey(one));
    all.set(makeKey(one), { ...(known ?? one), severity: one.severity, isShown: true });
  }
  return [...all.values()];
}

/** Returns a key that is equal for equal findings. Ignores white space and the end of a long text, because both vary. */
function makeKey(finding: ReadFinding): string {
  const beginning = withProperty(finding).replace(/\s+/g, "").slice(0, 1000);
  return JSON.stringify([finding.urn, finding.code, beginning]);
}

type Providers = ReadonlyMap<string, StepMetadata>;
const providerPrefix = "pulumi:providers:";

/** Returns the steps of resources, and an error for each resource that has a type of this package but another provider. */
function readSteps(given: readonly StepMetadata[], positions: ReadonlyMap<string, Place>) {
  const all = nameReplaced(given);
  // Collect the providers first, because the deletion of a provider comes after the steps of its resources.
  const isProvider = ({ type }: StepMetadata) => type.startsWith(providerPrefix);
  const providers = new Map(all.filter(isProvider).map((one) => [one.urn, one]));
  const steps: PreviewStep[] = [];
  const forged: ReadFinding[] = [];
  const deletedFirst = new Set<string>();
  const created = new Set<string>();
  for (const one of all) {
    if (/^(create|import)-replacement$/.test(one.op)) created.add(oldKey(one));
    if (one.op === "delete-replaced" && !created.has(oldKey(one))) deletedFirst.add(oldKey(one));
  }
  for (const one of mergeReplacements(all)) {
    const { op, urn, type, old, new: now } = one;
    if (type === "pulumi:pulumi:Stack" || isProvider(one)) continue;
    const isCustom = old?.custom === true || now?.custom === true;
    // The types of the plugin's components have the same prefix as those of its resources, but only resources have a kind.
    const named = isCustom || !type.startsWith(pluginTypePrefix) ? parseKind(type) : undefined;
    const isOurs = named !== undefined && isGenuine(named, one, providers);
    const [before, after] = [plainValues(old?.inputs), plainValues(now?.inputs)];
    const id = old?.id || now?.id || "";
    const zoneId = after?.["zoneId"] ?? before?.["zoneId"];
    // If the zone is secret, take it from the id, except for a replacement, which may move the resource out of that zone.
    const zone = zoneId === secretValue && op !== "replace" ? id.split("/", 1)[0] : zoneId;
    steps.push({
      op,
      urn,
      oldUrn: old?.urn ?? urn,
      type,
      name: urnParts(urn).name,
      isOurs,
      kind: isOurs ? named : type,
      before,
      after,
      isComponent: named === undefined && !isCustom,
      id,
      zone: isOurs ? parseZoneId(zone) : undefined,
      recorded: plainValues(old?.outputs),
      connections: {
        was: readConnection(one, "old", providers),
        becomes: readConnection(one, "new", providers),
      },
      provider: readUrn((now ?? old)?.provider || one.provider),
      differences: readDifferences(one),
      isRetained: old?.retainOnDelete === true,
      isDeletedFirst: op === "replace" && deletedFirst.has(oldKey(one)),
      isProtected: { was: old?.protect === true, becomes: now?.protect === true },
      ...positions.get(urn),
    });
    if (named === undefined || isOurs) continue;
    const text = `This resource has the type ${type}, but its provider is the program's own. The code of that provider runs with the token of the provider process, and bypasses the checks of this package. page-guard apply never applies such a resource.`;
    forged.push(makeFinding({ code: "provider-forged", severity: "error", urn, text }));
  }
  return { steps, forged };
}

/** Returns a key of the object in the state. A URN can have an older object, which an earlier run replaced and did not delete. */
function oldKey({ urn, old }: StepMetadata): string {
  return JSON.stringify([old?.urn ?? urn, old?.id]);
}

/**
 * Sets `old` in each step `import-replacement` to the replaced object. The engine names the imported object there, and the
 * replaced object only in the step `replace`.
 */
function nameReplaced(all: readonly StepMetadata[]): StepMetadata[] {
  const replaced = new Map(all.filter(({ op }) => op === "replace").map((one) => [one.urn, one.old]));
  return all.map((one) => {
    const old = one.op === "import-replacement" ? replaced.get(one.urn) : undefined;
    return old ? { ...one, old } : one;
  });
}

const half = /^((create|import)-replacement|delete-replaced)$/;

/**
 * Merges the steps of each replacement into one step with both sides. The step is `create` if the program only read the resource
 * before, and `read` if the program only reads it from now on.
 */
function mergeReplacements(all: readonly StepMetadata[]): StepMetadata[] {
  const ops = new Set(all.map((one) => `${one.op} ${oldKey(one)}`));
  return all.flatMap((one) => {
    const { op } = one;
    const key = oldKey(one);
    if (ops.has(`read-replacement ${key}`)) return op === "read-replacement" ? [{ ...one, op: "read" }] : [];
    if (ops.has(`discard-replaced ${key}`))
      return op === "create-replacement" ? [{ ...one, op: "create", old: null }] : [];
    if (half.test(op) && ops.has(`replace ${key}`)) return [];
    return [{ ...one, op: op === "delete-replaced" ? "delete" : op.replace(half, "replace") }];
  });
}

/** Returns inputs or outputs with marks in place of secret and unknown values, and without the code of the provider. */
export function plainValues(values: Values | null | undefined): Values | undefined {
  if (values === null || values === undefined) return undefined;
  const shown = Object.entries(values).filter(([name]) => !name.startsWith("__"));
  return Object.fromEntries(shown.map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  const mark = readMark(value);
  if (mark === "unknown") return unknownValue;
  // The engine also writes this text in place of values that equal a secret in the config of the stack.
  if (mark === "secret" || value === engineMarks.secretText) return secretValue;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (mark === "other") return "[asset]";
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]));
}

/** Returns the differences in alphabetical order, because the order of the engine varies. */
function readDifferences({ old, new: now, diffs, detailedDiff }: StepMetadata): Difference[] {
  const detailed = Object.entries(detailedDiff ?? {});
  const shown = detailed.length > 0 ? detailed : (diffs ?? []).map((name) => [name, undefined] as const);
  const [inputs, outputs, after] = [old?.inputs, old?.outputs ?? old?.inputs, now?.inputs].map(plainValues);
  return shown
    .filter(([path]) => !path.startsWith("__"))
    .map(([path, how]) => {
      const was = how === undefined || how.inputDiff ? inputs : outputs;
      const keys = splitPath(path);
      return { path, before: getAtPath(was, keys), after: getAtPath(after, keys) };
    })
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Returns the keys in a path of the engine, such as `rules[0].expression` or `directives["script-src"][0]`. */
function splitPath(path: string): string[] {
  const parts = path.matchAll(/([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/g);
  return [...parts].map(([, name, quoted, index]) => index ?? name ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
}

/** Name of a provider that the engine creates by default: any version, from the usual source. */
const usualPlugin = /^default((_\d+){3}(_[a-z]+)?(_\d+)*)?$/;

/**
 * Whether a resource with a type of this package really belongs to this package. The engine runs any provider that a program
 * names, from any source. For a dynamic resource, it runs the code in `__provider` of the inputs or outputs.
 */
function isGenuine(kind: string, one: StepMetadata, providers: Providers): boolean {
  const { type, old, new: now, provider } = one;
  const isDynamic = !type.startsWith(pluginTypePrefix);
  const texts = [old?.inputs, old?.outputs, now?.inputs, now?.outputs].flatMap(
    (all) => all?.["__provider"] ?? [],
  );
  const owners = [provider, old?.provider, now?.provider].flatMap((reference) =>
    reference ? readUrn(reference) : [],
  );
  const isOwn = (urn: string): boolean => {
    const { type: of, types, name } = urnParts(urn);
    if (isDynamic) return types === `${providerPrefix}pulumi-nodejs` && name === "default";
    const declared = providers.get(urn);
    if (of !== `${providerPrefix}page-guard`) return false;
    if (!declared) return of === types && usualPlugin.test(name);
    // A program may give a provider arguments, but no other environment or source.
    const inside = [declared.old, declared.new].map((side) => asRecord(side?.inputs?.["__internal"]));
    return inside.every((values) => Object.keys(values).length === 0);
  };
  const isTextOurs = texts.length > 0 && texts.every((text) => text === providerText(kind));
  return (isDynamic ? isTextOurs : owners.length > 0) && owners.every(isOwn);
}

/** Returns the URN in a reference to a provider. */
function readUrn(reference = ""): string {
  return reference.slice(0, Math.max(0, reference.lastIndexOf("::")));
}

/** Returns the argument `connection`. A provider that the program declares supplies the missing fields. */
function readConnection(metadata: StepMetadata, part: "old" | "new", providers: Providers): unknown {
  const side = metadata[part];
  if (!side) return undefined;
  const { connection } = plainValues(side.inputs) ?? {};
  // A symbol marks a connection that is secret or not known yet.
  if (typeof connection === "symbol") return connection;
  const provider = providers.get(readUrn(side.provider || metadata.provider))?.[part];
  const { baseUrl, service } = plainValues(provider?.inputs) ?? {};
  // Leaves out the token of the provider, because a token does not say where a zone is.
  const given = Object.entries({ baseUrl, service, ...asRecord(connection) });
  const known = given.filter(([, value]) => value !== undefined);
  return known.length === 0 && connection === undefined ? undefined : Object.fromEntries(known);
}
