import { calm } from "../../reports/blocks/calm";
import { fitted } from "../../reports/blocks/fitted";
import { forMarkdownCode } from "../../reports/escape";
import { plural } from "../../text/plural";
import type { StackResult } from "./one-stack";

const words = { 0: "ok", 1: "FAILED", 2: "look" } as const;

/** A line a stack, and the counts. */
export function summaryText(results: readonly StackResult[]): string {
  const width = Math.max(...results.map(({ zone }) => zone.name.length), 4);
  const rows = results.map(
    (one) =>
      `${one.zone.name.padEnd(width)}  ${String(one.zone.wave).padStart(4)}  ${words[one.code].padEnd(6)}  ${one.text}`,
  );
  return `${["zone".padEnd(width).concat("  wave  result  what"), ...rows, countsOf(results)].join("\n")}\n`;
}

export function summaryJson(
  command: string,
  results: readonly StackResult[],
  stopped: readonly string[],
): object {
  return {
    command,
    stopped,
    zones: results.map(({ zone, code: ended, text, review }) => ({
      ...{ id: zone.id, name: zone.name, wave: zone.wave, code: ended, text },
      ...(review && {
        isUnchanged: review.isUnchanged,
        cannotBeUndone: review.undone.length,
        alerts: review.alerts,
      }),
    })),
  };
}

/** One comment for the fleet: what cannot be undone first. */
export function summaryMarkdown(
  command: string,
  results: readonly StackResult[],
  stopped: readonly string[],
): string {
  const undone = results.flatMap(({ zone, review }) =>
    (review?.undone ?? []).map(
      ({ name, stage }) => `- **${calm(zone.name)}**: ${calm(name, 100)}, stage ${calm(stage, 30)}\n`,
    ),
  );
  const rows = [...results]
    .sort((left, right) => rank(left) - rank(right))
    .map(({ zone, code: ended, text, review }) => {
      const alerts = (review?.alerts ?? []).map((one) => calm(one, 200)).join("<br>");
      return `| ${forMarkdownCode(zone.name)} | ${zone.wave} | ${words[ended]} | ${calm(text)} | ${alerts} |\n`;
    });
  const stops = stopped.map((one) => `\n**${calm(one, 400)}**\n`).join("");
  const head = `<!-- page-guard:review fleet -->\n## Fleet: ${command}\n\n**${calm(countsOf(results))}**\n${stops}`;
  const alarm = { before: "\n### Cannot be undone\n\n", items: undone, after: "", what: "migrations" };
  const table = {
    before: "\n### Zones\n\n| zone | wave | result | what | alerts |\n| --- | --: | --- | --- | --- |\n",
    items: rows,
    after: "",
    what: "zones",
  };
  return fitted(head, [...(undone.length > 0 ? [alarm] : []), table], "", 60_000);
}

/** Migrations, then losses, then failures, then the rest. */
function rank({ review, code: ended }: StackResult): number {
  if ((review?.undone.length ?? 0) > 0) return 0;
  if ((review?.losses.length ?? 0) > 0) return 1;
  return ended === 0 ? (review?.isUnchanged === false ? 3 : 4) : 2;
}

function countsOf(results: readonly StackResult[]): string {
  const count = (wanted: number) => results.filter(({ code: ended }) => ended === wanted).length;
  return `${plural(results.length, "zone")}: ${count(0)} ok, ${count(2)} to look at, ${count(1)} failed.`;
}
