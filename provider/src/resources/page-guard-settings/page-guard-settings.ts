import type * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../api/client-types";
import {
  type ConnectedArgs,
  type GetOptions,
  makeInstanceTest,
  PageGuardResource,
  typePrefix,
} from "../../declaration/page-guard-resource";
import { kinds } from "../kinds";

/** Treatment of a zone's settings on destroy. */
export type SettingsOnDestroy = "restore" | "disable" | "keep";

export interface PageGuardSettingsArgs extends ConnectedArgs {
  /** The zone: 32 hexadecimal characters. A change replaces the resource. */
  zoneId: pulumi.Input<string>;
  /** Whether the service monitors scripts, connections and cookies of the zone. `false` does not disable policies. */
  enabled: pulumi.Input<boolean>;
  /** Whether browsers report to the vendor's endpoint. Unchanged if absent; `false` needs a service plan with this option. */
  useVendorReportingEndpoint?: pulumi.Input<boolean | undefined> | undefined;
  /** Whether the paths of connections are reported too. Unchanged if absent; `true` needs a service plan with this option. */
  useConnectionUrlPath?: pulumi.Input<boolean | undefined> | undefined;
  /**
   * On destroy: `restore` (default) restores the values that the declared settings had before the first change, `disable`
   * switches monitoring off, `keep` leaves the settings as they are.
   */
  onDestroy?: pulumi.Input<SettingsOnDestroy | undefined> | undefined;
}

/**
 * The Page Guard settings of a zone. A zone can have only one such resource; its id is the zone id.
 *
 * Only declared settings change. A setting that is no longer declared gets its original value back, unless `onDestroy` is `keep`.
 *
 * @example
 * ```ts
 * const monitor = new PageGuardSettings("monitor", { zoneId, enabled: true });
 * export const asFound = monitor.initial;
 * ```
 *
 * Errors: `PG_NOT_ENTITLED` when the plan does not include an option, `PG_NOT_FOUND` when the
 * token has no access to the zone.
 */
export class PageGuardSettings extends PageGuardResource {
  /** @internal Policy packs recognise resources of this class by this type. */
  static readonly __pulumiType = `${typePrefix}PageGuardSettings`;

  /** Whether a value is a `PageGuardSettings`, created by this or by another copy of the package. */
  static override readonly isInstance = makeInstanceTest<PageGuardSettings>(PageGuardSettings.__pulumiType);

  /**
   * Reads the settings of a zone that this stack does not own. The resource never changes them.
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
  /** Time of the last change, ISO 8601, as the service reports it. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The settings found before the first change. `onDestroy: "restore"` restores those that the program declares. */
  declare readonly initial: pulumi.Output<Omit<Settings, "updatedAt">>;

  constructor(name: string, args: PageGuardSettingsArgs, options?: pulumi.CustomResourceOptions) {
    super({ name: "PageGuardSettings", load: kinds.PageGuardSettings }, name, args, options);
  }
}
