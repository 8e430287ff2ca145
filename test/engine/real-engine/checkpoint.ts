import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Checkpoint {
  checkpoint: { latest?: { resources?: { readonly urn: string }[] } };
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
  const whole: Checkpoint = JSON.parse(readFileSync(file, "utf8"));
  const { resources = [] } = whole.checkpoint.latest ?? {};
  const edited = resources.flatMap((resource) => {
    if (!isMeant(resource.urn)) return [resource];
    const text = edit(JSON.stringify(resource));
    return text === undefined ? [] : [JSON.parse(text)];
  });
  whole.checkpoint.latest = { ...whole.checkpoint.latest, resources: edited };
  writeFileSync(file, JSON.stringify(whole));
}

/**
 * Removes what a killed CLI has left half written beside its states: the engine does not open
 * a state whose file of attributes is empty.
 */
export function mendAttributes(backend: string): void {
  const folder = join(backend, ".pulumi/stacks");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, file);
    if (file.endsWith(".attrs") && statSync(path).size === 0) rmSync(path);
  }
}
