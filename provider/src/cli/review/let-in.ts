import { plural } from "./counts";
import type { ReadFinding } from "./preview-read";

/** What is malicious and in use, and what a policy of a zone allows all the same. */
export interface LetIn {
  readonly zone: string | undefined;
  readonly scripts: number;
  readonly connections: number;
}

const said = / lets in (?:(\d{1,6}) malicious scripts?)?(?: and )?(?:(\d{1,6}) malicious connections?)?:/;

/** The message counts them: of an item that several sources let in, it counts one. */
export function letInBy(findings: readonly ReadFinding[]): readonly LetIn[] {
  return findings
    .filter(({ code }) => code === "csp-lets-malicious-in")
    .map(({ zone, text }) => {
      const [, scripts = 0, connections = 0] = said.exec(text) ?? [];
      return { zone, scripts: Number(scripts), connections: Number(connections) };
    })
    .filter(({ scripts, connections }) => scripts + connections > 0);
}

/** `1 malicious script`, `2 malicious connections`. */
export function letInCounts(letIn: readonly LetIn[], kind = ""): readonly string[] {
  const scripts = letIn.reduce((sum, one) => sum + one.scripts, 0);
  const connections = letIn.reduce((sum, one) => sum + one.connections, 0);
  return [
    ...(scripts > 0 ? [plural(scripts, `${kind}script`)] : []),
    ...(connections > 0 ? [plural(connections, `${kind}connection`)] : []),
  ];
}
