import type * as pulumi from "@pulumi/pulumi";
import {
  type ConnectedArgs,
  type GetOptions,
  makeInstanceTest,
  PageGuardResource,
  typePrefix,
} from "../../declaration/page-guard-resource";
import type { RuleOrder } from "../../model/waf-rules/rule-places";
import type { WafRule, WafRulesArgs } from "../../model/waf-rules/waf-rule";
import { kinds } from "../kinds";

/** Treatment of a zone's unmanaged rules. */
export type ForeignRules = "refuse" | "keep" | "overwrite";

export type { RuleOrder } from "../../model/waf-rules/rule-places";

/** Treatment of a zone's rules on destroy. */
export type EntrypointOnDestroy = "restore" | "remove" | "keep";

export interface ManagedWafEntrypointArgs<Action extends string = string> extends ConnectedArgs {
  /** The zone: 32 hexadecimal characters. A change replaces the resource. */
  zoneId: pulumi.Input<string>;
  /** Name of the entry point. Unchanged if absent. */
  name?: pulumi.Input<string | undefined> | undefined;
  /** The rules in the order in which they run. */
  rules: WafRulesArgs<Action>;
  /**
   * Treatment of unmanaged rules, which are neither declared nor in the state: `refuse` (default) fails the preview and names
   * them, `keep` leaves them in their places, `overwrite` deletes them, and the preview says so. If an unmanaged rule has the
   * `ref` of a declared rule, `keep` fails the preview too, and `overwrite` changes the unmanaged rule.
   */
  foreignRules?: pulumi.Input<ForeignRules | undefined> | undefined;
  /**
   * Place of the declared rules if the zone has none of them yet; only with `foreignRules: "keep"`. `afterForeign` (default):
   * after the unmanaged rules. `beforeForeign`: before the unmanaged rules, which suits exceptions (`skip`). Later updates leave
   * every rule in its place unless you reorder the declared rules. A new rule goes directly after the declared rule that precedes
   * it. A new first rule goes directly before the next declared rule. A change of `order` moves all declared rules once, and the
   * preview says so.
   */
  order?: pulumi.Input<RuleOrder | undefined> | undefined;
  /**
   * On destroy: `restore` (default) restores the list found before the first change, `remove` deletes only the declared rules,
   * `keep` leaves all rules in the zone. Unmanaged rules always stay.
   */
  onDestroy?: pulumi.Input<EntrypointOnDestroy | undefined> | undefined;
}

/** The rule list found before the first change. */
export interface InitialEntrypoint {
  readonly name?: string;
  /** The rules as the service returned them, with this package's field names. */
  readonly rules: readonly unknown[];
  /** Ids of the rules in `rules` that the resource has adopted or overwritten. */
  readonly taken: readonly string[];
  /** Name that this resource has given to the list. */
  readonly renamed?: string;
}

/**
 * The rules of a zone's managed WAF entry point (phase `http_request_firewall_managed`). A zone has exactly one entry point, so
 * the id of the resource is the zone id. Each change reads the list of rules and then writes the whole list. Changes in the same
 * zone run one at a time.
 *
 * If the zone already has a declared rule, the resource adopts it unchanged, and the preview says so. If someone adds unmanaged
 * rules later, the next refresh warns of them and lists them in `foreign`.
 *
 * Errors: `PG_FOREIGN_RULES` when unmanaged rules would be lost, `PG_REF_IN_USE` when an unmanaged rule has the `ref`
 * of a declared rule, `PG_WAF_ENROLLMENT` when the zone still runs the previous WAF (see `WafMigration`).
 *
 * @example
 * ```ts
 * import { ManagedWafEntrypoint } from "pulumi-page-guard";
 *
 * new ManagedWafEntrypoint("managed-waf", {
 *   zoneId: "1123456789abcdef0123456789abcdef",
 *   rules: [
 *     {
 *       ref: "managed-ruleset",
 *       action: "execute",
 *       expression: "true",
 *       actionParameters: {
 *         id: "efb7b8c949ac4650a09736fc376e9aee",
 *         overrides: { rules: [{ id: "5de7edfa648c4d6891dc3e7f84534ffa", action: "log" }] },
 *       },
 *     },
 *   ],
 *   // Unmanaged rules in the list stay in their places.
 *   foreignRules: "keep",
 * });
 * ```
 */
export class ManagedWafEntrypoint<Action extends string = string> extends PageGuardResource {
  /** @internal Policy packs recognise resources of this class by this type. */
  static readonly __pulumiType = `${typePrefix}ManagedWafEntrypoint`;

  /** Whether a value is a `ManagedWafEntrypoint`, created by this or by another copy of the package. */
  static override readonly isInstance = makeInstanceTest<ManagedWafEntrypoint>(
    ManagedWafEntrypoint.__pulumiType,
  );

  /**
   * Reads the rules of a zone that this stack does not own. The resource never changes or deletes them.
   *
   * @param id The zone id.
   * @example
   * ```ts
   * const found = ManagedWafEntrypoint.get("found", zoneId);
   * ```
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: GetOptions = {}): ManagedWafEntrypoint {
    const { connection, ...others } = options;
    return new ManagedWafEntrypoint(name, { connection } as ManagedWafEntrypointArgs, { ...others, id });
  }

  declare readonly zoneId: pulumi.Output<string>;
  declare readonly name: pulumi.Output<string | undefined>;
  /**
   * The declared rules with the ids that the service assigned. After a refresh with `foreignRules: "overwrite"`, the list also
   * contains unmanaged rules.
   */
  declare readonly rules: pulumi.Output<readonly WafRule[]>;
  declare readonly foreignRules: pulumi.Output<ForeignRules | undefined>;
  declare readonly order: pulumi.Output<RuleOrder | undefined>;
  declare readonly onDestroy: pulumi.Output<EntrypointOnDestroy | undefined>;
  declare readonly rulesetId: pulumi.Output<string>;
  /** Version of the list, which increases with each change, whoever makes it. */
  declare readonly version: pulumi.Output<string | undefined>;
  /** Time of the last change to the list, ISO 8601. */
  declare readonly lastUpdated: pulumi.Output<string | undefined>;
  /** Descriptions, or ids, of the unmanaged rules in the list, sorted. */
  declare readonly foreign: pulumi.Output<readonly string[]>;
  declare readonly initial: pulumi.Output<InitialEntrypoint>;

  constructor(name: string, args: ManagedWafEntrypointArgs<Action>, options?: pulumi.CustomResourceOptions) {
    super({ name: "ManagedWafEntrypoint", load: kinds.ManagedWafEntrypoint }, name, args, options);
  }
}
