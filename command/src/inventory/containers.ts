/**
 * Hosts of tag managers. Each customer of a tag manager builds a script (a container), which the tag manager serves. The value
 * for a host is the folder of one customer, in which `_` stands for any name. The value is empty if the file name or the query
 * identifies the customer instead. A `*` in an inventory must not cover the containers of several customers. Source: the
 * installation guides of Google Tag Manager, VWO, Tealium iQ, Adobe Tags, Optimizely Web, Hotjar, HubSpot, Segment, Ensighten
 * Manage, TagCommander and Matomo Cloud, read in November 2026.
 */
const folders: ReadonlyMap<string, string> = new Map([
  ["www.googletagmanager.com", ""],
  ["googletagmanager.com", ""],
  ["dev.visualwebsiteoptimizer.com", ""],
  ["tags.tiqcdn.com", "/utag/_/_/"],
  ["tags-eu.tiqcdn.com", "/utag/_/_/"],
  ["assets.adobedtm.com", "/_/_/"],
  ["cdn.optimizely.com", "/public/_/"],
  ["static.hotjar.com", ""],
  ["js.hs-scripts.com", ""],
  ["js-eu1.hs-scripts.com", ""],
  ["js-na2.hs-scripts.com", ""],
  ["js-na3.hs-scripts.com", ""],
  ["js-ap1.hs-scripts.com", ""],
  ["cdn.segment.com", "/analytics.js/v1/_/"],
  ["nexus.ensighten.com", "/_/"],
  ["cdn.tagcommander.com", "/_/"],
  ["cdn.matomo.cloud", "/_/"],
]);

/** Returns why a `*` after this path could match other customers' containers, else undefined. `isHost` selects the hosts. */
export function findContainers(isHost: (known: string) => boolean, path: string): string | undefined {
  for (const [host, folder] of folders) {
    const isOfOne = folder !== "" && new RegExp(`^${folder.replaceAll("_", "[^/]+")}`).test(path);
    if (isHost(host) && !isOfOne) return `${host} serves everyone's tag manager containers`;
  }
  return undefined;
}
