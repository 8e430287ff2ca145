import { type HostSource, parseSource } from "../syntax/source";
import { customersDomains, sharedHosts } from "./shared-hosts";
import { suffixParents } from "./suffix-parents";

/** Reason why a source allows content that anyone may publish. */
interface Published {
  /** Sentence without a full stop: `unpkg.com serves every package of npm`. */
  readonly why: string;
  /** Advice without a full stop: `Name your own host below workers.dev`. */
  readonly instead: string;
  /** Whether the source is a wildcard over the hosts of many owners. An attacker then only needs a host of their own. */
  readonly isWildcard: boolean;
}

function readTable(table: string) {
  const groups = table.trim().split("\n\n");
  return groups.flatMap((text) => {
    const [serves = "", ...lines] = text.split("\n");
    const rows = lines.join(" ").matchAll(/(?:[^/! ]\S* )+(?:[/!]\S* ?)+/g);
    return [...rows].map(([row]) => readRow(serves, row.trim().split(" ")));
  });
}

function readRow(serves: string, words: readonly string[]) {
  const hosts = words.filter((word) => /^[^/!]/.test(word));
  const folders = words.filter((word) => word.startsWith("/"));
  const services = words.filter((word) => word.startsWith("!")).map((word) => makePattern(word.slice(1)));
  // Where a path begins with an owner's name, that name must not be a folder of the service or the fixed start of another path.
  const others = folders.flatMap((folder) => /^\/([a-z]+)\//.exec(folder)?.[1] ?? []);
  const reserved = [...services, ...others].join("|");
  const own = folders
    .filter((folder) => folder.endsWith("/"))
    .map(
      (folder) =>
        (/^\/[A-Z]/.test(folder) && reserved ? `/(?!(?:${reserved})/)` : "/") + makePattern(folder.slice(1)),
    )
    .join("|");
  const prefix = services.length > 0 ? `(?:/(?:${services.join("|")}))?` : "";
  return {
    hosts,
    /** Pattern of `hosts`, in which `*` means any label. */
    pattern: new RegExp(`^(?:${hosts.join("|").replaceAll(".", "\\.").replaceAll("*", "[a-z0-9-]+")})$`),
    serves,
    /** Pattern of paths that begin with the folder of one owner. */
    own: new RegExp(own === "" ? "(?!)" : `^${prefix}(?:${own})`),
    example: folders[0] ?? "",
  };
}

function makePattern(folder: string): string {
  return folder
    .replace("PACKAGE@VERSION", "(?:@[^/]+/)?[^/]+")
    .replace("NUMBER", "\\d+")
    .replace(/\bN+\b/g, (digits) => `\\d{${digits.length}}`)
    .replace(/\b[A-Z][A-Z@]+\b/g, "[^/]+");
}

const shared = readTable(sharedHosts);

/** Returns the table row of a host on which anyone can publish in a folder of their own, such as `unpkg.com`. */
export function findShared(host: string) {
  return shared.find(({ pattern }) => pattern.test(host));
}

/** Returns the reason why anyone can publish at a source; undefined if the source has one owner or its host is not known. */
export function publishedBy({ host, isWildcard, path = "" }: HostSource): Published | undefined {
  if (host === "") return undefined;
  if (isWildcard) return belowSharedSuffix(host);
  const known = findShared(host);
  // A single file, or a path in the folder of one owner, is safe.
  if (known === undefined || (path !== "" && !path.endsWith("/")) || known.own.test(path)) return undefined;
  return {
    why: `${host} serves ${known.serves}`,
    instead: `Name your own folder there, like ${host}${known.example}, or the exact file`,
    isWildcard: false,
  };
}

function belowSharedSuffix(parent: string): Published | undefined {
  const [covered] = shared.flatMap(({ hosts, serves }) => {
    const host = hosts.find((one) => one.endsWith(`.${parent}`));
    return host === undefined ? [] : [`${host}, which *.${parent} covers, serves ${serves}`];
  });
  const why = covered ?? (isAboveOwners(parent) && `anyone can have a host below ${parent}`);
  return why ? { why, instead: `Name your own host below ${parent}`, isWildcard: true } : undefined;
}

/** Whether many owners have their hosts below a domain, such as `workers.dev` or `com`. */
export function isAboveOwners(parent: string): boolean {
  const whole = `x.${parent}`;
  if (customersDomains.test(parent) || suffixParents.has(ownedDomain(whole) ?? "")) return true;
  // Test a host below the domain, because the Public Suffix List has wildcards (`*.ck`) that do not match the domain itself.
  const { publicSuffix, isIcann, isPrivate } = suffixes().parse(whole, suffixOptions);
  if (isIcann !== true && isPrivate !== true) return false;
  return publicSuffix === parent || publicSuffix?.endsWith(`.${parent}`) === true;
}

/** Whether anyone can get a host like this one: `shop.workers.dev`. */
export function isOfMany(host: string): boolean {
  const { isPrivate } = suffixes().parse(host, suffixOptions);
  return isPrivate === true || isAboveOwners(host.slice(host.indexOf(".") + 1));
}

/** Returns the domain of one owner, either registered or below a shared domain: `shop.workers.dev`. */
export function ownedDomain(host: string): string | undefined {
  return suffixes().getDomain(host, suffixOptions) ?? undefined;
}

/**
 * Returns a name for the owner of a source: the host with the owner's folder if owners have folders there, else the owner's
 * domain. Returns a source without a host unchanged.
 */
export function hostOwner(text: string): string {
  const source = parseSource(text);
  if (source.kind !== "host") return text;
  const folder = findShared(source.host)
    ?.own.exec(source.path ?? "")?.[0]
    .replace(/@[^/]*\/$/, "/");
  return folder === undefined ? (ownedDomain(source.host) ?? source.host) : `${source.host}${folder}`;
}

const suffixOptions = { allowPrivateDomains: true, validateHostname: false, extractHostname: false };

/** Loads the Public Suffix List on first use. */
function suffixes(): typeof import("tldts") {
  return require("tldts") as typeof import("tldts");
}
