import { type Command, InvalidArgumentError, Option } from "commander";
import type { Service } from "../api/client-types";
import { zoneIdOf } from "../zone/zone-id";

/** How to reach the service; what is left out comes from the environment. */
export interface ConnectionFlags {
  readonly baseUrl?: string;
  readonly tokenEnv?: string;
  readonly service?: Service;
}

/** Which zones, and what they are called. */
export interface ZoneFlags {
  readonly zone?: readonly string[];
  /** A YAML file with a list of `{ id, name?, tags? }`. */
  readonly zones?: string;
  readonly name?: readonly ZoneName[];
}

export interface ZoneName {
  readonly id: string;
  readonly name: string;
}

/** What to print, and where. `-`: standard output. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly sarif?: string;
  readonly junit?: string;
}

/** Where the state of a stack is. */
export interface StateFlags {
  readonly stack?: string;
  readonly state?: string;
}

export function withConnection(command: Command): Command {
  return command
    .option("--base-url <url>", "base URL of the API, ends in /v4 (default: PAGE_GUARD_BASE_URL)")
    .option(
      "--token-env <name>",
      "name of the environment variable that holds the API token (default: PAGE_GUARD_API_TOKEN)",
    )
    .addOption(
      new Option(
        "--service <name>",
        "how the service spells its paths (default: PAGE_GUARD_SERVICE)",
      ).choices(["page_guard", "page_shield"]),
    );
}

export function withZones(command: Command): Command {
  return command
    .option("--zone <id>", "a zone (repeatable)", addZone)
    .option("--zones <file>", "YAML file with a list of zones: { id, name?, tags? }")
    .option("--name <id=name>", "what a zone is called, instead of its id (repeatable)", addName);
}

export function withState(command: Command): Command {
  return command
    .option("--stack <name>", "the stack whose state is read, by `pulumi stack export`")
    .option(
      "--state <file>",
      "a state instead: what `pulumi stack export` wrote, or the backend's own file; - reads it",
    );
}

export function withOutput(command: Command): Command {
  return command
    .option("--json", "print one JSON document")
    .option("--sarif <file>", "write SARIF; - is standard output")
    .option("--junit <file>", "write JUnit XML; - is standard output");
}

/** What a zone may be called: it becomes part of file names and of resource names. */
export function isZoneName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text);
}

export const zoneNameRule =
  "A name has up to 63 letters, digits, dots, dashes and underscores, and begins with a letter or digit.";

function addZone(text: string, before: readonly string[] = []): readonly string[] {
  const id = zoneIdOf(text);
  if (id === undefined) throw new InvalidArgumentError("A zone id has 32 hexadecimal characters.");
  return before.includes(id) ? before : [...before, id];
}

function addName(text: string, before: readonly ZoneName[] = []): readonly ZoneName[] {
  const at = text.indexOf("=");
  const id = zoneIdOf(text.slice(0, Math.max(0, at)));
  const name = text.slice(at + 1);
  if (id === undefined)
    throw new InvalidArgumentError("Write it as ID=name; a zone id has 32 hexadecimal characters.");
  if (!isZoneName(name)) throw new InvalidArgumentError(zoneNameRule);
  return [...before.filter((other) => other.id !== id), { id, name }];
}
