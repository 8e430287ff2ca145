import { appendFileSync, readFileSync } from "node:fs";
import type { Properties } from "../kind";
import type { Run } from "../run";
import { containsUnknown } from "../unknown";

/**
 * Writes, for a preview that is to be approved, digests of the secret inputs of a resource: the approved file has
 * nothing else of them, and what has none there counts as unknown. The first line of the file holds the salt.
 */
export async function noteSecrets(
  run: Run,
  urn: string,
  names: readonly string[],
  inputs: Properties,
): Promise<void> {
  const { digests, env } = run.approval ?? {};
  if (digests === undefined || env === undefined || names.length === 0) return;
  const { digestKeyIn, secretDigest } = require("./keyed-digest") as typeof import("./keyed-digest");
  const [first = ""] = readFileSync(digests, "utf8").split("\n", 1);
  const { salt }: { salt: string } = JSON.parse(first);
  const key = digestKeyIn(env, salt);
  for (const property of names.filter((name) => !containsUnknown(inputs[name]))) {
    const digest = await secretDigest(key, `${urn}#${property}`, inputs[property]);
    appendFileSync(digests, `${JSON.stringify({ urn, property, digest })}\n`);
  }
}
