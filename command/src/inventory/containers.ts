/**
 * Hosts from which each customer of a tag manager has a script that the customer composes, and the folder there that is one
 * customer's (`_` is any name); none where the name of the file or the query names the customer. A CSP source cannot tell the
 * customers apart, but a `*` of an inventory must not cover several. From the installation guides of Google Tag Manager,
 * VWO, Tealium iQ, Adobe Tags, Optimizely Web, Hotjar, HubSpot, Segment, Ensighten Manage, TagCommander and Matomo Cloud. As
 * of November 2026.
 */
const containers = `
www.googletagmanager.com
googletagmanager.com
dev.visualwebsiteoptimizer.com
tags.tiqcdn.com /utag/_/_/
tags-eu.tiqcdn.com /utag/_/_/
assets.adobedtm.com /_/_/
cdn.optimizely.com /public/_/
static.hotjar.com
js.hs-scripts.com
js-eu1.hs-scripts.com
js-na2.hs-scripts.com
cdn.segment.com /analytics.js/v1/_/
nexus.ensighten.com /_/
cdn.tagcommander.com /_/
cdn.matomo.cloud /_/
`;

/** Host to folder; empty where it has none. */
const folders: ReadonlyMap<string, string> = new Map(
  containers
    .trim()
    .split("\n")
    .map((line) => {
      const [host = "", folder = ""] = line.split(" ");
      return [host, folder] as const;
    }),
);

/** Why a `*` behind this folder of a host could stand for another customer's container of a tag manager. */
export function containersAt(host: string, path: string): string | undefined {
  const folder = folders.get(host);
  if (folder === undefined) return undefined;
  const isOfOne = folder !== "" && new RegExp(`^${folder.replaceAll("_", "[^/]+")}`).test(path);
  return isOfOne ? undefined : `${host} serves everyone's containers`;
}
