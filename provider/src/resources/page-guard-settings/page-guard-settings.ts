import type * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs, Settings } from "../../api/client-types";
import {
  type GetOptions,
  instancesOf,
  PageGuardResource,
  typePrefix,
} from "../../declaration/page-guard-resource";

/** What becomes of the zone's settings when the resource is destroyed. */
export type SettingsOnDestroy = "restore" | "disable" | "keep";

export interface PageGuardSettingsArgs {
  /** The zone: 32 hexadecimal characters. A change replaces the resource. */
  zoneId: pulumi.Input<string>;
  /** Whether scripts, connections and cookies of the zone are watched. Does not switch policies off. */
  enabled: pulumi.Input<boolean>;
  /** Let browsers report to the vendor's endpoint. Left alone when absent; `false` needs a plan that is entitled to it. */
  useVendorReportingEndpoint?: pulumi.Input<boolean | undefined> | undefined;
  /** Report the path of connections too. Left alone when absent; `true` needs a plan that is entitled to it. */
  useConnectionUrlPath?: pulumi.Input<boolean | undefined> | undefined;
  /**
   * On destroy: `restore` (default) puts back what was found before the first change, `disable` switches the watching
   * off, `keep` leaves the zone as it is.
   */
  onDestroy?: pulumi.Input<SettingsOnDestroy | undefined> | undefined;
  /** Where and as whom to talk. No part of the desired state: a change changes no resource. */
  connection?: pulumi.Input<ConnectionArgs | undefined> | undefined;
}

const kind = {
  name: "PageGuardSettings",
  load: () => (require("./lifecycle") as typeof import("./lifecycle")).pageGuardSettings,
};

/**
 * The Page Guard settings of a zone. A zone has exactly one; the id is the zone's.
 *
 * Only what is declared is changed.
 *
 * @example
 * ```ts
 * const monitor = new PageGuardSettings("monitor", { zoneId, enabled: true });
 * export const asFound = monitor.initial;
 * ```
 *
 * Errors: `PG_NOT_ENTITLED` when the plan lacks an option, `PG_NOT_FOUND` for a zone
 * that the token does not see.
 */
export class PageGuardSettings extends PageGuardResource {
  /** @internal Policy packs tell resources of this class by it. */
  static readonly __pulumiType = `${typePrefix}PageGuardSettings`;

  /** Whether it is such a resource, of this or of another copy of the package. */
  static override readonly isInstance = instancesOf<PageGuardSettings>(PageGuardSettings.__pulumiType);

  /**
   * Reads the settings of a zone that this stack does not own: nothing of it is ever changed or deleted by the resource.
   *
   * @param id The zone id.
   * @example
   * ```ts
   * const found = PageGuardSettings.get("found", zoneId);
   * ```
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: GetOptions = {}): PageGuardSettings {
    const { connection, ...others } = options;
    return new PageGuardSettings(name, { connection } as PageGuardSettingsArgs, { ...others, id });
  }

  declare readonly zoneId: pulumi.Output<string>;
  declare readonly enabled: pulumi.Output<boolean>;
  declare readonly useVendorReportingEndpoint: pulumi.Output<boolean | undefined>;
  declare readonly useConnectionUrlPath: pulumi.Output<boolean | undefined>;
  declare readonly onDestroy: pulumi.Output<SettingsOnDestroy | undefined>;
  /** Time of the last change, ISO 8601, as the service tells it. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The settings as found before the first change: what `onDestroy: "restore"` puts back. */
  declare readonly initial: pulumi.Output<Omit<Settings, "updatedAt">>;

  constructor(name: string, args: PageGuardSettingsArgs, options?: pulumi.CustomResourceOptions) {
    super(kind, name, args, options);
  }
}
