import { outcomes, table } from "../../provider/src/resources/waf-migration/decision-table";
import { recordings, views } from "../../provider/src/resources/waf-migration/zone-view";

const words = {
  validate: "send the validation",
  finish: "send the finish",
  wait: "wait for the end",
  adopt: "adopt",
  ask: "ask",
  refuse: "refuse",
} as const;

type Cell = (typeof table)["nothing"]["old"];

/** Returns a section on what an update of a `WafMigration` does, made from the table that the provider itself uses. */
export function migrationTable(): readonly string[] {
  const head = ["in the state", "the zone shows", '`stage: "validation"`', '`stage: "finished"`', "because"];
  return [
    "## What an update does",
    "An update, and its preview, read check, status and the list of rules. This table, the one that the provider uses, says what follows. `ask`: nothing is sent, the error `migration-unclear` says what to look for in the dashboard, and [`unclearAttempt`](#unclearattempt) takes the answer.",
    [head, head.map(() => "---"), ...rows()].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    '`adopt` sends nothing. In validation with `stage: "validation"`, rules that are not as declared are sent once more. An attempt that never arrived is made again.',
    "In the state:",
    meanings(recordings),
    "The zone shows:",
    meanings(views),
    "Before it sends, an update checks that the zone is eligible, within the limits, and that it undoes nobody's edit. Before a finish two readings half a minute apart have to agree.",
  ];
}

/** Returns a row for each reason. Values in the state with the same reason and the same views share a row. */
function rows(): readonly (readonly string[])[] {
  const found = new Map<string, { readonly recorded: string[]; readonly rest: readonly string[] }>();
  for (const [recorded, cells] of Object.entries(table)) {
    for (const cell of new Set(Object.values(cells))) {
      const of = Object.entries(cells).flatMap(([view, one]) => (one === cell ? [`\`${view}\``] : []));
      const shows = of.length === Object.keys(views).length ? "anything" : of.join(", ");
      const rest = [shows, does(cell, "validation"), does(cell, "finished"), cell[1]];
      const row = found.get(rest.join()) ?? { recorded: [], rest };
      found.set(rest.join(), row);
      row.recorded.push(`\`${recorded}\``);
    }
  }
  return [...found.values()].map(({ recorded, rest }) => [recorded.join(", "), ...rest]);
}

function does([at]: Cell, stage: "validation" | "finished"): string {
  if (at === "contradicted") return words.refuse;
  return at === "from" ? "as before the attempt" : words[outcomes[at][stage]];
}

function meanings(all: Readonly<Record<string, string>>): string {
  return Object.entries(all)
    .map(([word, meaning]) => `- \`${word}\`: ${meaning}.`)
    .join("\n");
}
