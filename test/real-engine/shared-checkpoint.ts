import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markOf } from "./part-of-run";

interface Checkpoint {
  checkpoint: {
    latest?: {
      resources?: { readonly urn: string }[];
      pending_operations?: { readonly resource: { readonly urn: string } }[];
    };
  };
}

/**
 * Removes the resources of the stories that are not in `marks` from the stack's checkpoint, as if they were on a stack of
 * their own (which would be slow). Returns the function that puts them back.
 */
export function holdBackOthers(backend: string, marks: readonly string[]): () => void {
  const file = checkpointIn(backend);
  const others = (urn: string) => {
    const mark = markOf(urn);
    return mark !== undefined && !marks.includes(mark);
  };
  if (!existsSync(file)) return () => undefined;
  const before = read(file);
  const { resources = [], pending_operations: pending = [] } = before.checkpoint.latest ?? {};
  const held = resources.filter(({ urn }) => others(urn));
  const heldPending = pending.filter(({ resource }) => others(resource.urn));
  if (held.length + heldPending.length === 0) return () => undefined;
  const shared = resources.filter(({ urn }) => markOf(urn) === undefined);
  before.checkpoint.latest = {
    ...before.checkpoint.latest,
    resources: resources.filter((resource) => !held.includes(resource)),
    pending_operations: pending.filter((operation) => !heldPending.includes(operation)),
  };
  writeFileSync(file, JSON.stringify(before));
  return () => {
    const after = read(file);
    const { resources: left = [], pending_operations: stillPending = [] } = after.checkpoint.latest ?? {};
    // The stack and its provider disappear with their last resource, and these need them.
    const lost = shared.filter(({ urn }) => !left.some((resource) => resource.urn === urn));
    after.checkpoint.latest = {
      ...before.checkpoint.latest,
      ...after.checkpoint.latest,
      resources: [...lost, ...left, ...held],
      pending_operations: [...stillPending, ...heldPending],
    };
    writeFileSync(file, JSON.stringify(after));
  };
}

/** Where the stories' stack has its checkpoint. */
export function checkpointIn(backend: string): string {
  return join(backend, ".pulumi/stacks/story/dev.json");
}

/** Rewrites these resources in the checkpoint, and nothing else: as JSON text, or undefined when they are lost. */
export function editResources(
  backend: string,
  isMeant: (urn: string) => boolean,
  edit: (recorded: string) => string | undefined,
): void {
  const file = checkpointIn(backend);
  const whole = read(file);
  const { resources = [] } = whole.checkpoint.latest ?? {};
  const edited = resources.flatMap((resource) => {
    if (!isMeant(resource.urn)) return [resource];
    const text = edit(JSON.stringify(resource));
    return text === undefined ? [] : [JSON.parse(text)];
  });
  whole.checkpoint.latest = { ...whole.checkpoint.latest, resources: edited };
  writeFileSync(file, JSON.stringify(whole));
}

function read(file: string): Checkpoint {
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * Removes what a killed CLI has left half written beside its states, as `page-guard doctor` says: the engine does not open
 * a state whose file of attributes is empty.
 */
export function mendAttributes(backend: string): void {
  const folder = join(backend, ".pulumi/stacks");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, file);
    if (file.endsWith(".attrs") && statSync(path).size === 0) rmSync(path);
  }
}
