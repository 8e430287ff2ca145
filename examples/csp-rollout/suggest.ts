import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csp, getConnections, getScripts } from "pulumi-page-guard";

/** The host that the policy is for: the one of the expression in index.ts. */
const hosts = "shop.example.com";

const file = join(__dirname, "seen.json");

/** Writes seen.json anew from what is in use now. The same items give the same file, in whatever order they come. */
async function main(zoneId: string | undefined): Promise<void> {
  if (zoneId === undefined) throw new Error("Usage: npm run suggest -- <zone id>");
  const inUse = { zoneId, hosts, status: ["active", "infrequent"] };
  const [scripts, connections] = await Promise.all([getScripts(inUse), getConnections(inUse)]);
  const suggestion = csp.suggest(scripts, connections);
  const { directives, included } = suggestion;
  const { warnings, notes } = csp.tellSuggestion(suggestion);

  // First of all what the policy would let in although it is not suggested.
  for (const line of warnings) console.warn(line);

  const text = `${JSON.stringify(directives, undefined, 2)}\n`;
  const isNew = text !== current();
  if (isNew) writeFileSync(file, text);
  console.log(
    `${isNew ? "seen.json written" : "seen.json is up to date"}: ${included.scripts} scripts and ${included.connections} connections allowed.`,
  );
  for (const line of notes) console.log(line);
}

function current(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

main(process.argv[2]).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
