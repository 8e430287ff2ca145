import { type Command, InvalidArgumentError, Option } from "commander";
import { parseZoneId } from "pulumi-page-guard/tools";
import type { ConnectionArgument } from "./program-connection";
import { UsageError } from "./usage-error";
import { dayMs } from "./values";

/** Flags for the connection. The environment supplies the values of absent flags. */
export interface ConnectionFlags {
  readonly baseUrl?: string;
  readonly tokenEnv?: string;
  readonly service?: NonNullable<ConnectionArgument["service"]>;
}

export interface ZoneRef {
  readonly id: string;
  /** The zone's name, or its id if it has none. */
  readonly name: string;
}

export interface ZoneFlags {
  readonly zone?: readonly string[];
  /** A YAML file with a list of `{ id, name?, tags? }`. */
  readonly zones?: string;
  readonly name?: readonly ZoneRef[];
}

export interface OutputFlags {
  readonly json?: boolean;
  readonly sarif?: string;
  readonly junit?: string;
}

export interface PageFlags {
  readonly json?: boolean;
  readonly markdown?: string;
  readonly html?: string;
}

export interface StateFlags {
  readonly stack?: string;
  readonly state?: string;
}

export interface ReadFlags extends ConnectionFlags, ZoneFlags, OutputFlags {}

export function withReading(command: Command): Command {
  return withOutput(withConnection(withZones(command)));
}

export function withConnection(command: Command): Command {
  return command
    .option("--base-url <url>", "base URL of the API, ending in /v4 (default: PAGE_GUARD_BASE_URL)")
    .option("--token-env <name>", "environment variable with the API token (default: PAGE_GUARD_API_TOKEN)")
    .addOption(
      new Option(
        "--service <name>",
        "name of the service in the API paths (default: PAGE_GUARD_SERVICE)",
      ).choices(["page_guard", "page_shield"]),
    );
}

export function withZones(command: Command): Command {
  return command
    .option("--zone <id>", "id of a zone (repeatable)", addZone)
    .option("--zones <file>", "YAML file with a list of zones: { id, name?, tags? }")
    .option("--name <id=name>", "name to show for a zone instead of its id (repeatable)", addName);
}

export function withReferences(command: Command): Command {
  return command.option(
    "--references <url>",
    "base URL for references such as #123, for example https://github.com/shop/infra/pull/",
  );
}

export function withState(command: Command): Command {
  return command
    .option("--stack <name>", "read the state of this stack with `pulumi stack export`")
    .option("--state <file>", "read the output of `pulumi stack export` from a file; - for standard input");
}

/** Adds the flags for results that machines read. */
export function withOutput(command: Command): Command {
  return withJson(command)
    .option("--sarif <file>", "write SARIF; - for standard output")
    .option("--junit <file>", "write JUnit XML; - for standard output");
}

/** Adds the flags for results that people read: those of `review`, `fleet` and `report`. */
export function withPages(command: Command): Command {
  return withJson(command)
    .option("--markdown <file>", "write the result as Markdown; - for standard output")
    .option("--html <file>", "write the result as one HTML page; - for standard output");
}

const documents = ["json", "markdown", "html", "sarif", "codeQuality", "junit"] as const;

/** Adds `--json`. Before the command starts, checks that at most one document goes to standard output. */
function withJson(command: Command): Command {
  return command
    .hook("preAction", (_, action) => {
      const flags = action.opts();
      const printed = documents.filter((name) => flags[name] === "-" || flags[name] === true);
      if (printed.length < 2) return;
      const names = printed.map((name) => {
        const flag = `--${name.replace("Q", "-q")}`;
        return name === "json" ? flag : `${flag} -`;
      });
      throw new UsageError(
        `${names.join(" and ")} would print to the same standard output. Write all but one of them to files.`,
      );
    })
    .option("--json", "print one JSON document");
}

/** Whether a string can be the name of a zone. Such names become part of file names and resource names. */
export function isZoneName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text);
}

export const zoneNameRule =
  "A name has up to 63 letters, digits, dots, dashes and underscores, and starts with a letter or digit.";

function addZone(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, toZoneId(text)];
}

export function toZoneId(text: string): string {
  const id = parseZoneId(text);
  if (id === undefined) throw new InvalidArgumentError("A zone id has 32 hexadecimal characters.");
  return id;
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** Parses a time with its unit, such as `10m`, into milliseconds. */
export function duration(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs }[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw new InvalidArgumentError("Expected a time with its unit, such as 10m, 12h or 7d.");
}

/** Returns the option `--wait` of `apply` and `fleet apply`. Its value is in milliseconds. */
export function waitForLock(): Option {
  const text = "how long to wait for another update of the stack to end, such as 10m";
  return new Option("--wait <time>", text).argParser(duration);
}

export function repeatable(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function addName(text: string, before: readonly ZoneRef[] = []): readonly ZoneRef[] {
  const at = text.indexOf("=");
  const id = parseZoneId(text.slice(0, Math.max(0, at)));
  const name = text.slice(at + 1);
  if (id === undefined)
    throw new InvalidArgumentError("Expected ID=name; a zone id has 32 hexadecimal characters.");
  if (!isZoneName(name)) throw new InvalidArgumentError(zoneNameRule);
  return [...before.filter((other) => other.id !== id), { id, name }];
}
