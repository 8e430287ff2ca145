import { entrypointSchema } from "../../../../provider/src/api/wire/waf-schema";
import { fromRule } from "../../../../provider/src/model/waf-rules/rule-input";
import type { Simulator, ZoneRule } from "../../../../simulator/src";
import type { Step } from "./scenario";

type Edit = Extract<Step, { readonly act: "edit" }>;

/** Somebody in the dashboard, and what he has left there. */
export class People {
  /** The list as the program had sent it, and as somebody left it then; undefined: nobody has touched it. */
  private edited: { readonly from: string; readonly to: string } | undefined;

  constructor(
    private readonly sim: Simulator,
    private readonly zoneId: string,
  ) {}

  edit({ what, rule: index }: Edit): void {
    const { waf, entrypoint } = this.sim.zones.get(this.zoneId);
    const rules = entrypoint?.rules ?? [];
    const rule = rules[index % Math.max(1, rules.length)];
    if (waf.stage !== "validation" || !rule) return;
    const before = this.list();
    switch (what) {
      case "change":
        this.sim.dashboard.changeRule(this.zoneId, rule.id, { enabled: !rule.enabled });
        break;
      case "delete":
        this.sim.dashboard.deleteRule(this.zoneId, rule.id);
        break;
      case "reorder":
        this.put([...rules.slice(1), ...rules.slice(0, 1)]);
        break;
      case "clear":
        this.put([]);
        break;
    }
    const isUndoneAlready = this.edited !== undefined && this.edited.to !== before;
    const from = isUndoneAlready ? before : (this.edited?.from ?? before);
    this.edited = from === this.list() ? undefined : { from, to: this.list() };
  }

  /** Something has been edited, and no longer is as it was left. */
  isUndone(): boolean {
    return this.edited !== undefined && this.edited.to !== this.list();
  }

  /** The program says the whole list by name, or nothing could tell it of an edit: what it sends is meant. */
  letGo(): void {
    this.edited = undefined;
  }

  /** The list as it is, for a program that is to say it whole. */
  configuration(): unknown {
    const { rules = [] } = entrypointSchema.parse(this.sim.zones.get(this.zoneId).entrypoint ?? {});
    return { name: "default", rules: rules.map(fromRule) };
  }

  private put(rules: readonly ZoneRule[]): void {
    this.sim.dashboard.putEntrypoint(this.zoneId, { rules });
  }

  private list(): string {
    const { entrypoint } = this.sim.zones.get(this.zoneId);
    return JSON.stringify(
      (entrypoint?.rules ?? []).map(({ action, expression, enabled, description, action_parameters }) => [
        action,
        expression,
        enabled,
        description,
        action_parameters,
      ]),
    );
  }
}
