import { type HostSource, parseSource } from "../syntax/source";
import { customersDomains, regionalBuckets, type SharedHosts, sharedHosts } from "./shared-hosts";
import { suffixParents } from "./suffix-parents";

/** Why a source allows what anyone may publish. */
export interface Published {
  /** A sentence without its end: `unpkg.com serves every package of npm`. */
  readonly why: string;
  /** What to write instead. */
  readonly instead: string;
  /** It takes no account there: a wildcard over all owners' hosts. */
  readonly isWildcard: boolean;
}

const shared: ReadonlyMap<string, SharedHosts> = new Map(
  sharedHosts.flatMap((one) => one.hosts.map((host) => [host, one] as const)),
);

/** Undefined: the source names what belongs to one owner, or nothing of this kind is known of it. */
export function publishedBy(source: HostSource): Published | undefined {
  if (source.host === "") return undefined;
  return source.isWildcard ? belowSharedSuffix(source.host) : onSharedHost(source);
}

function onSharedHost({ host, path = "" }: HostSource): Published | undefined {
  const known = shared.get(host) ?? bucketsOf(host);
  if (known === undefined) return undefined;
  // A single file, or what is within a folder of one owner.
  if ((path !== "" && !path.endsWith("/")) || known.own.test(path)) return undefined;
  return {
    why: `${host} serves ${known.serves}`,
    instead: `Name the folder of your own there, like ${host}${known.example}, or the exact file`,
    isWildcard: false,
  };
}

function bucketsOf(host: string): Pick<SharedHosts, "serves" | "own" | "example"> | undefined {
  const found = regionalBuckets.find((region) => region.host.test(host));
  return found && { serves: "everyone's buckets", own: found.own, example: "/BUCKET/" };
}

function belowSharedSuffix(parent: string): Published | undefined {
  const below = [...shared.keys()].find((host) => host.endsWith(`.${parent}`));
  const why =
    below !== undefined
      ? `${below}, which *.${parent} covers, serves ${shared.get(below)?.serves}`
      : isAboveOwners(parent)
        ? `anyone can have a host below ${parent}`
        : undefined;
  return why === undefined
    ? undefined
    : { why, instead: `Name your own host below ${parent}`, isWildcard: true };
}

/** Whether each owner has a host of its own below: `workers.dev`, `com`. */
export function isAboveOwners(parent: string): boolean {
  const whole = `x.${parent}`;
  if (customersDomains.has(parent) || suffixParents.has(ownedDomain(whole) ?? "")) return true;
  // Asked of a host below: some suffixes are known for all names below a host, and not for that itself.
  const { publicSuffix, isIcann, isPrivate } = suffixes().parse(whole, suffixOptions);
  if (isIcann !== true && isPrivate !== true) return false;
  return publicSuffix === parent || publicSuffix?.endsWith(`.${parent}`) === true;
}

/** The domain that an owner has registered, or got from a host of many: `shop.workers.dev`. */
export function ownedDomain(host: string): string | undefined {
  return suffixes().getDomain(host, suffixOptions) ?? undefined;
}

/**
 * Who a source belongs to: the domain that its owner has registered, or got from a host of many; on a host where owners
 * have folders, that with the folder; the source itself where it names no host.
 */
export function hostOwner(text: string): string {
  const source = parseSource(text);
  if (source.kind !== "host") return text;
  const known = shared.get(source.host) ?? bucketsOf(source.host);
  const folder = known?.own.exec(source.path ?? "")?.[0].replace(/@[^/]*\/$/, "/");
  return folder === undefined ? (ownedDomain(source.host) ?? source.host) : `${source.host}${folder}`;
}

const suffixOptions = { allowPrivateDomains: true, validateHostname: false, extractHostname: false };

/** The Public Suffix List is loaded with the first wildcard. */
function suffixes(): typeof import("tldts") {
  return require("tldts") as typeof import("tldts");
}
