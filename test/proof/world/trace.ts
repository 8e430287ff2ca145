import type { Simulator } from "../../../simulator/src";
import { zones } from "./declarations";
import type { Step } from "./story";

/** Trace of a story, which shows why the story failed. */
export class Trace {
  readonly lines: string[] = [];
  private told = 0;

  constructor(private readonly sim: Pick<Simulator, "journal">) {}

  step(step: Step): void {
    this.lines.push(`- ${JSON.stringify(step)}`);
  }

  end(): void {
    this.lines.push("- the end: nothing goes wrong any more");
  }

  /** Adds the requests of an operation, and its failure. */
  operation(failure: string): void {
    const fresh = this.sim.journal.slice(this.told);
    this.told = this.sim.journal.length;
    for (const { userAgent, method, path, status, fault, changed } of fresh)
      this.lines.push(
        `    ${userAgent}: ${method} ${shortPath(path)} ${status ?? "no answer"}${fault ? ` (${fault})` : ""}${changed ? " changed" : ""}`,
      );
    if (failure) this.lines.push(`    failed: ${failure.split("\n")[0]}`);
  }
}

function shortPath(path: string): string {
  for (const [name, id] of Object.entries(zones)) {
    if (path.startsWith(`/zones/${id}`))
      return `${name}${path.slice(`/zones/${id}`.length)}`.replace(
        "/rulesets/phases/http_request_firewall_managed",
        "",
      );
  }
  return path;
}
