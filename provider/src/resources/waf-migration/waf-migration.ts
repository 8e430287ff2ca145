import * as pulumi from "@pulumi/pulumi";
import { takesHooks } from "../../declaration/internals/monitor";
import {
  type ConnectedArgs,
  makeInstanceTest,
  PageGuardResource,
  typePrefix,
} from "../../declaration/page-guard-resource";
import type { WafRuleArgs, WafRulesArgs } from "../../model/waf-rules/waf-rule";
import { withCode } from "../../text/message";
import { kinds } from "../kinds";
import { migrationOutputs } from "./component";
import { destroying, explainDestroyRefusal } from "./texts";

/** Stage that the migration has to reach. `validation` (Enterprise): both WAFs run. `finished`: only the new WAF runs. */
export type MigrationStage = "validation" | "finished";

/** An override to add to the configuration that the service proposes. An absent field leaves the rule as it is. */
export interface MigrationRuleOverrideArgs {
  /** Id of a managed ruleset that the configuration runs. */
  rulesetId: pulumi.Input<string>;
  /** Id of a rule in this ruleset. */
  ruleId: pulumi.Input<string>;
  action?: pulumi.Input<string | undefined> | undefined;
  enabled?: pulumi.Input<boolean | undefined> | undefined;
}

/** A configuration of the new WAF that replaces the one that the service proposes. */
export interface MigrationConfigurationArgs<Action extends string = string> {
  name: pulumi.Input<string>;
  rules: WafRulesArgs<Action>;
}

/** States whether a finish that got no clear response was accepted. */
export interface UnclearAttemptArgs {
  /** Time at which the request was sent, ISO 8601. Copy it from the error message. */
  startedAt: pulumi.Input<string>;
  /**
   * Outcome of the request. After `notAccepted`, an update may send the request again. `notAccepted` is refused if the migration
   * status or the compatibility check shows otherwise.
   */
  outcome: pulumi.Input<"accepted" | "notAccepted">;
}

interface StepArgs<Action extends string = string> extends ConnectedArgs {
  /** The zone: 32 hexadecimal characters. A migration cannot be moved to another zone. */
  zoneId: pulumi.Input<string>;
  /** Stage to reach: `validation` or `finished`. It can change from `validation` to `finished`, never back. */
  stage: pulumi.Input<MigrationStage>;
  /** The zone id once more, to confirm that you know that the migration cannot be undone. */
  confirm: pulumi.Input<string>;
  /** Overrides to add to the configuration that the service proposes. A change during validation is sent to the zone. */
  ruleOverrides?: pulumi.Input<readonly pulumi.Input<MigrationRuleOverrideArgs>[] | undefined> | undefined;
  /** Configuration to send instead of the one that the service proposes. `ruleOverrides` are added to it. */
  configuration?: pulumi.Input<MigrationConfigurationArgs<Action> | undefined> | undefined;
  /** Minutes to wait for the zone to show the stage. Default: 60. A finish usually takes up to an hour. */
  timeoutMinutes?: pulumi.Input<number | undefined> | undefined;
  /**
   * States whether the service accepted a finish that got no clear response or was cut off. An update that needs this answer asks
   * for it and prints `startedAt`. Check the dashboard before you answer. The answer is valid for that attempt only.
   */
  unclearAttempt?: pulumi.Input<UnclearAttemptArgs | undefined> | undefined;
}

export interface WafMigrationArgs<Action extends string = string> extends StepArgs<Action> {
  /**
   * Whether a destroy may remove the migration from the state, without a change in the zone. Default: false, which refuses a
   * destroy, because nothing can undo the migration. Must be a plain boolean, because the resource's options depend on it.
   */
  allowForget?: boolean | undefined;
  /**
   * Whether the preview already refuses a deletion with `--ignore-protect`; without this option, only the destroy itself refuses
   * it. With this option, every `pulumi destroy` of the stack needs `--run-program`. Must be a plain boolean, because the
   * resource's options depend on it.
   */
  deleteHook?: boolean | undefined;
}

/** Configuration of the new WAF as this stack sent or found it, in the form that `ManagedWafEntrypoint` accepts. */
export interface AppliedConfiguration {
  readonly name: string;
  readonly rules: readonly WafRuleArgs[];
}

/** A reading of the zone before the first change, kept because it cannot be repeated later. */
export interface MigrationEvidence {
  /** Time of the reading, ISO 8601. */
  readonly observedAt: string;
  readonly compatible?: boolean;
  readonly migrationState?: string;
  /** The status as the service returned it. */
  readonly status?: Readonly<Record<string, unknown>>;
  /** The configuration that the service proposed. */
  readonly configuration?: AppliedConfiguration;
  /** Rules of the managed entry point, if there were any. */
  readonly entrypointRules?: readonly unknown[];
}

/** Dynamic child of `WafMigration` that does the work. Programs do not use it on its own. */
class WafMigrationStep<Action extends string = string> extends PageGuardResource {
  /** @internal Policy packs recognise resources of this class by this type. */
  static readonly __pulumiType = `${typePrefix}WafMigrationStep`;

  constructor(
    name: string,
    args: StepArgs<Action> & { allowForget?: boolean | undefined },
    options: pulumi.CustomResourceOptions,
  ) {
    super({ name: "WafMigrationStep", load: kinds.WafMigrationStep }, name, args, options);
  }
}

/**
 * Migrates a zone to the new WAF Managed Rules. This cannot be undone.
 *
 * The preview runs the compatibility check and shows the configuration that would be sent. The update reads the zone,
 * sends at most one finishing request, and waits until the new WAF is active. A destroy is refused.
 *
 * Errors: `PG_MIGRATION` with the reason. The README section "The irreversible part" says what is sent and when.
 */
export class WafMigration<Action extends string = string> extends pulumi.ComponentResource {
  /** @internal Policy packs recognise resources of this class by this type. */
  static readonly __pulumiType = "page-guard:index:WafMigration";

  /** Whether a value is a `WafMigration`, created by this or by another copy of the package. */
  static override readonly isInstance = makeInstanceTest<WafMigration>(WafMigration.__pulumiType);

  declare readonly zoneId: pulumi.Output<string>;
  declare readonly compatible: pulumi.Output<boolean | undefined>;
  /** The service's own name for the state of the migration. */
  declare readonly migrationState: pulumi.Output<string | undefined>;
  /** The configuration as applied. Pass its `rules` to a `ManagedWafEntrypoint`, which then owns them. */
  declare readonly configuration: pulumi.Output<AppliedConfiguration>;
  /** The status as the service returned it. */
  declare readonly status: pulumi.Output<Readonly<Record<string, unknown>>>;
  /** Time at which this stack first sent a request of the migration, ISO 8601. Absent if it never had to send one. */
  declare readonly startedAt: pulumi.Output<string | undefined>;
  /** Time at which this stack first saw that only the new WAF is active, ISO 8601. */
  declare readonly finishedAt: pulumi.Output<string | undefined>;
  /** The reading of the zone before the first change. Absent if this stack never had to send a request. */
  declare readonly before: pulumi.Output<MigrationEvidence | undefined>;

  constructor(name: string, args: WafMigrationArgs<Action>, options: pulumi.ComponentResourceOptions = {}) {
    const { allowForget = false, deleteHook = false, ...declared } = { ...args };
    // Protects the component, so that even the preview of a destroy fails.
    const protect = allowForget ? (options.protect ?? false) : true;
    super(WafMigration.__pulumiType, name, {}, { ...options, protect });
    const isHooked = deleteHook && !allowForget && takesHooks();
    const hooks = isHooked ? { hooks: { beforeDelete: [refusingHook(name)] } } : {};
    const step = new WafMigrationStep(
      `${name}-step`,
      { ...declared, ...(allowForget && { allowForget }) },
      // Protects the child too, because a transformation can change the component's options. No aliases are passed: Pulumi
      // derives those of the child from those of the component.
      { parent: this, ...(!allowForget && { protect }), ...hooks },
    );
    const settled = Object.entries(migrationOutputs).map(([name, output]) => [
      name,
      Reflect.get(step, output),
    ]);
    const outputs = { zoneId: pulumi.output(declared.zoneId), ...Object.fromEntries(settled) };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }
}

function refusingHook(name: string): pulumi.ResourceHook {
  return new pulumi.ResourceHook(
    `page-guard-refuse-delete-${name}`,
    (resource) => {
      const text = `Failed to ${destroying}: ${explainDestroyRefusal(resource.urn)}`;
      throw new Error(withCode(text, "migration-destroy"));
    },
    { onDryRun: true },
  );
}
