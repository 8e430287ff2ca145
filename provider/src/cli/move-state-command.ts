import { randomUUID } from "node:crypto";
import { Command, Option } from "commander";
import { z } from "zod";
import { providerText } from "../internals/provider-text";
import { hiddenInputs } from "../lifecycle/hidden-inputs";
import { isDefaultProvider, pluginTypePrefix, typePrefix, urnParts } from "../lifecycle/urn";
import { forTerminal } from "../reports/escape";
import { jsonOf } from "../text/json-of";
import { listed } from "../text/listed";
import { CommandError } from "./command-error";
import { nameOfFile, ofStack, readText } from "./read-text";
import { urnIn } from "./review/step-values";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { recordedKinds } from "./state/recorded";

const example = `
Example:
  pulumi stack export --file before.json
  page-guard move-state --to plugin before.json > after.json
  pulumi stack import --file after.json

Exit codes: 0 written; 1 failed.`;

/** `page-guard move-state`: a state for a program in another language. Makes no request and writes no file. */
export function moveStateCommand(session: Session, conclude: Conclude): Command {
  return new Command("move-state")
    .description("Rewrite what `pulumi stack export` gives for a program in another language, and back")
    .argument("<state>", "the file that it has written; - reads standard input")
    .addOption(
      new Option("--to <side>", "the provider plugin, or the dynamic resources of TypeScript")
        .choices(["plugin", "dynamic"])
        .makeOptionMandatory(),
    )
    .addHelpText("after", example)
    .action((file: string, { to }: { readonly to: Manager }) => conclude(moveState(session, file, to)));
}

async function moveState(session: Session, file: string, to: Manager): Promise<ExitCode> {
  const content = jsonOf(await readText(session, file, ofStack));
  if (content === undefined)
    throw new CommandError(`Failed to read the state of ${forTerminal(nameOfFile(file))}: it is not JSON.`);
  const { state, moved } = movedState(content, to, packageVersion());
  session.out(`${JSON.stringify(state, undefined, 4)}\n`);
  const names = listed(
    moved.map((name) => forTerminal(name)),
    { separator: ", " },
  );
  session.err(
    moved.length === 0
      ? "No resource was moved: none is managed by the other side.\n"
      : `Moved ${moved.length}: ${names}. Import this, change the program, and run \`pulumi preview\`: it has to be empty.\n`,
  );
  return exitCode.fine;
}

/** By what resources of this package are managed. */
export type Manager = "plugin" | "dynamic";

const values = z.record(z.string(), z.unknown());
const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  custom: z.boolean().optional(),
  provider: z.string().optional(),
  inputs: values.optional(),
  outputs: values.optional(),
});
type Resource = z.output<typeof resourceSchema>;

const stateSchema = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(z.unknown()).nullish(),
  }),
});

/**
 * What `pulumi stack export` gives, with the resources of this package managed by the other side: types, URNs and all that
 * refers to them, and the provider. What is recorded of the zones stays as it is. `version`: of the plugin; `moved`: names of the resources that were moved.
 *
 * @throws CommandError
 */
export function movedState(
  content: unknown,
  to: Manager,
  version: string,
): { readonly state: unknown; readonly moved: readonly string[] } {
  const parsed = stateSchema.safeParse(content);
  if (!parsed.success) {
    throw new CommandError(
      "Failed to read the state: it has no deployment. Give output of `pulumi stack export`.",
    );
  }
  const { deployment } = parsed.data;
  if ((deployment.pending_operations ?? []).length > 0) {
    throw new CommandError(
      "The state has pending operations: an update was cut off. Run `pulumi up` and `pulumi refresh --clear-pending-creates`, then export it again.",
    );
  }
  const resources = deployment.resources ?? [];
  const moving = resources.filter(
    ({ type, custom }) => custom === true && kindToMove(type, to) !== undefined,
  );
  if (moving.length === 0) return { state: content, moved: [] };
  const provider = providerFor(resources, moving, to, version);
  // Whatever is called by its URN: parents, dependencies, aliases, and what a resource records of itself.
  const urns = new Map(moving.map(({ urn }) => [urn, movedUrn(urn, to)]));
  const providers = new Set(moving.map((resource) => resource.provider));
  const rewritten = resources.map((resource) =>
    moving.includes(resource) ? moved(resource, to, provider.reference) : resource,
  );
  const isNeeded = (one: Resource): boolean =>
    !providers.has(referenceOf(one)) || rewritten.some((other) => other.provider === referenceOf(one));
  const first = resources.findIndex((resource) => moving.includes(resource));
  const all = [...rewritten.slice(0, first), ...provider.added, ...rewritten.slice(first)].filter(isNeeded);
  return {
    state: { ...parsed.data, deployment: { ...deployment, resources: renamed(all, urns) } },
    moved: moving.map(({ urn }) => urnParts(urn).name),
  };
}

/** Undefined: of another package, or managed so already. */
function kindToMove(type: string, to: Manager): string | undefined {
  const prefix = to === "plugin" ? typePrefix : pluginTypePrefix;
  const kind = type.slice(prefix.length);
  return type.startsWith(prefix) ? recordedKinds.find((one) => one === kind) : undefined;
}

function movedType(type: string, to: Manager): string {
  const kind = kindToMove(type, to);
  return kind === undefined ? type : `${to === "plugin" ? pluginTypePrefix : typePrefix}${kind}`;
}

function movedUrn(urn: string, to: Manager): string {
  const [start = "", project = "", types = "", ...name] = urn.split("::");
  const movedTypes = types.split("$").map((type) => movedType(type, to));
  return [start, project, movedTypes.join("$"), ...name].join("::");
}

function moved(resource: Resource, to: Manager, provider: string): Resource {
  const change = (given: Readonly<Record<string, unknown>> = {}) => {
    const own = Object.fromEntries(Object.entries(given).filter(([name]) => !addedInputs.includes(name)));
    if (to === "plugin") return own;
    const kind = kindToMove(resource.type, to) ?? "";
    // As the class writes them. The URN is renamed with all others.
    return { ...own, __provider: providerText(kind), __urn: resource.urn };
  };
  return {
    ...resource,
    type: movedType(resource.type, to),
    provider,
    inputs: change(resource.inputs),
    outputs: change(resource.outputs),
  };
}

const addedInputs: readonly string[] = ["__provider", ...hiddenInputs];

/** The default provider of the other side: the one that is there, or a new one. */
function providerFor(
  resources: readonly Resource[],
  moving: readonly Resource[],
  to: Manager,
  version: string,
): { readonly reference: string; readonly added: readonly Resource[] } {
  const declared = moving.find(({ provider }) => !isDefaultProvider(urnIn(provider)));
  if (declared) {
    throw new CommandError(
      `${forTerminal(urnParts(declared.urn).name)} has a provider that the program declares, and the other side would not know its token and service. Give them in the environment or in the argument connection, take the provider out, run \`pulumi up\`, then export the state again.`,
    );
  }
  const [pkg, name] =
    to === "plugin" ? ["page-guard", `default_${version.replace(/\W/g, "_")}`] : ["pulumi-nodejs", "default"];
  const [start = "", project = ""] = moving[0]?.urn.split("::") ?? [];
  const type = `pulumi:providers:${pkg}`;
  const urn = `${start}::${project}::${type}::${name}`;
  const present = resources.find((resource) => resource.urn === urn);
  if (present) return { reference: referenceOf(present), added: [] };
  const settings = to === "plugin" ? { version } : {};
  const added = { urn, custom: true, id: randomUUID(), type, inputs: settings, outputs: settings };
  return { reference: referenceOf(added), added: [added] };
}

function referenceOf(provider: Resource): string {
  return `${provider.urn}::${String(provider["id"])}`;
}

function renamed(value: unknown, urns: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return urns.get(value) ?? value;
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, urns));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [urns.get(name) ?? name, renamed(entry, urns)]),
  );
}
