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

/** Returns a section on what an update of a `WafMigration` does, from the decision table of the provider. */
export function migrationTable(): readonly string[] {
  const head = ["in the state", "the zone shows", '`stage: "validation"`', '`stage: "finished"`', "reason"];
  return [
    "## What an update does",
    "An update and its preview read the compatibility check, the status and the list of rules. Then the provider decides by this table. In a row with `ask`, the update sends nothing. The error `migration-unclear` says what to look for in the dashboard, and you give the answer in [`unclearAttempt`](#unclearattempt).",
    [head, head.map(() => "---"), ...rows()].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    '`adopt` sends nothing. In validation with `stage: "validation"`, the update sends the rules again if they differ from the declared ones. In a row with `as before the attempt`, the update does what it would do if the attempt had never been made, so it repeats a request that did not arrive.',
    'The values of "in the state":',
    meanings(recordings),
    'The values of "the zone shows":',
    meanings(views),
    "Before an update sends anything, it checks that the zone is eligible and within the limits, and that the update does not undo edits that other people have made. Before a finish, two readings half a minute apart have to agree.",
  ];
}

/** Returns a row for each reason. Values in the state with the same reason and the same views share a row. */
function rows(): readonly (readonly string[])[] {
  const found = new Map<string, { readonly recorded: string[]; readonly rest: readonly string[] }>();
  for (const [recorded, cells] of Object.entries(table)) {
    for (const cell of new Set(Object.values(cells))) {
      const names = Object.entries(cells).flatMap(([view, one]) => (one === cell ? [`\`${view}\``] : []));
      const shows = names.length === Object.keys(views).length ? "anything" : names.join(", ");
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
