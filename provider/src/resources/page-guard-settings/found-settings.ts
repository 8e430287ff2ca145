import type { Settings } from "../../api/client-types";
import { inZone } from "../../lifecycle/memory";
import type { State } from "./state";

/** How old the reading of `check` may be for the create that follows it. */
const maxAgeMs = 60_000;

/** What this run has seen of a zone's settings before it changed them. */
export class FoundSettings {
  /** A record that was read or compared in this run: it knows what was there before its resource's first change. */
  recorded: State | undefined;
  private seen: { readonly at: number; readonly settings: Settings } | undefined;

  constructor(private readonly now: () => number) {}

  async look(read: () => Promise<Settings>): Promise<Settings> {
    const settings = await read();
    this.seen = { at: this.now(), settings };
    return settings;
  }

  forget(): void {
    this.seen = undefined;
  }

  /** What was read a moment ago, once; else it is read again. */
  async use(read: () => Promise<Settings>): Promise<Settings> {
    const seen = this.seen;
    this.seen = undefined;
    return seen && this.now() - seen.at <= maxAgeMs ? seen.settings : read();
  }
}

export const foundSettings = inZone((run) => new FoundSettings(run.now));
