import { Command } from "commander";
import { forTerminal } from "../reports/escape";
import type { ReportFinding } from "../reports/report";
import { plural } from "../text/plural";
import { withReading, withState } from "./options";
import { print } from "./output";
import { Progress } from "./progress";
import type { Conclude, ExitCode, Session } from "./session";
import { type Drift, driftOf } from "./state/drift";
import { type InspectFlags, inspect } from "./state/inspect";
import { sumOf } from "./values";
import type { ZoneRef } from "./zones";

const example = `
Examples:
  page-guard drift --stack production
  pulumi stack export --stack production | page-guard drift --state - --json

Secret values are compared if they can be decrypted (--stack with its passphrase or key service), and never printed.

Exit codes: 0 no drift; 1 failed; 2 something was changed, deleted or never declared.`;

/** `page-guard drift`: what differs between a state and its zones, without running the program. */
export function driftCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("drift").description(
    "List what was changed, deleted or never declared in the zones of a stack",
  );
  return withReading(withState(command))
    .addHelpText("after", example)
    .action((flags: InspectFlags) => conclude(drift(session, flags)));
}

async function drift(session: Session, flags: InspectFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const inspected = await inspect(session, flags, progress, { settings: false, mayBeGone: true });
  const zones = inspected.map(({ zone, declared, live }) => ({ zone, ...driftOf(declared, live) }));
  const all = zones.flatMap(({ zone, drift: found }) => found.map((one) => ({ zone, one })));
  const notCompared = sumOf(zones, (zone) => zone.notCompared);
  const hidden = notCompared === 0 ? [] : [`${notCompared} not compared (secret).`];
  const count = `${plural(all.length, "difference")} in ${plural(zones.length, "zone")}.`;
  return print(session, flags, {
    text: `${[
      ...all.map(({ zone, one }) => `${zone.name}: ${sentence(one)}`),
      all.length === 0 ? "No drift." : count,
      ...hidden,
    ].join("\n")}\n`,
    json: {
      drift: all.map(({ zone, one }) => toJson(zone, one)),
      zones: zones.map(({ zone, notCompared: secret }) => ({ ...zone, notCompared: secret })),
      notCompared,
      requests: progress.requests,
    },
    isFound: all.length > 0,
    title: "page-guard drift",
    examined: zones.map(({ zone }) => zone.name),
    findings: all.map(({ zone, one }) => findingOf(zone, one)),
    rules: {
      "drift-changed": "The zone differs from what the program declares.",
      "drift-gone": "What the program declares was deleted.",
      "drift-undeclared": "No program declares this.",
    },
  });
}

/** One line: what, which, path, declared and actual value. */
function sentence({ what, kind, resource, path, label, declared, actual, isSecret }: Drift): string {
  if (what === "undeclared") return `never declared: ${kind} ${forTerminal(label)}`;
  const where = [resource?.name ?? "", path]
    .filter((part) => part !== "")
    .map((part) => forTerminal(part, 150))
    .join(" ");
  if (what === "gone") {
    const which = label === resource?.name ? "" : `: ${kind} ${forTerminal(label)}`;
    return `gone: ${where}${which}`;
  }
  const values = isSecret ? "[secret] => [secret]" : `${value(declared)} => ${value(actual)}`;
  return `changed: ${where}: ${values}`;
}

function value(one: unknown): string {
  if (one === undefined) return "(none)";
  return forTerminal(JSON.stringify(one) ?? String(one), 200);
}

function toJson(zone: ZoneRef, { resource, isSecret, ...drift }: Drift): object {
  return {
    zone: zone.id,
    zoneName: zone.name,
    ...drift,
    ...(isSecret && { secret: true }),
    ...(resource && { resource: resource.name, urn: resource.urn, file: resource.file, line: resource.line }),
  };
}

function findingOf(zone: ZoneRef, one: Drift): ReportFinding {
  const { resource } = one;
  return {
    code: `drift-${one.what}`,
    severity: "error",
    message: sentence(one),
    zone: zone.name,
    subject: resource?.name ?? one.label,
    file: resource?.file,
    line: resource?.line,
    column: resource?.column,
  };
}
