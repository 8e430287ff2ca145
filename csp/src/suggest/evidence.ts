import { isAboveOwners, ownedDomain } from "../hosts/anyone-publishes";
import { findCompany } from "../hosts/find-company";
import { groupBy } from "../texts";
import { type ReadItem, toFolder } from "./read-item";
import { isGenerated, isOfOneRelease, isOfVersion, splitFolders } from "./stable-path";

export const dayMs = 24 * 60 * 60 * 1000;
/** Time since the last sighting after which a name is assumed to be out of use. */
const goneAfterMs = 2 * dayMs;
/** If one of several similar names has been in use for this long, it probably names a customer or a module, not a release. */
const stableAfterMs = 5 * dayMs;
/** If a single id has been in use for this long, it probably does not name a release either. */
const lastingAfterMs = 10 * dayMs;

/** If this many similar names have ids, the ids belong to visitors or builds: no site has so many accounts. */
const manyIds = 4;

/** First and last time that a name was seen; infinite if the service does not say. */
interface Life {
  readonly first: number;
  readonly last: number;
}

type Lives = Map<string, Life>;

/** Hosts that differ in one label only, or a single host with a label that looks like one of many. */
interface Family {
  readonly hosts: Lives;
  /** Rest of the host name after the label that differs. */
  readonly parent: string;
  /** Whether the label has an id, not just a number, a letter or a region. */
  readonly isById: boolean;
  /** Whether the label has a number or an id. */
  readonly isNumbered: boolean;
}

/**
 * Evidence from many URLs about hosts that rotate (different visitors get different hosts) and folders that a release replaces.
 * Several names that were seen, such as `v3` beside `v4`, or an id that never changed, prove more than the form of a single name.
 */
export class Evidence {
  readonly #families = new Map<string, Family>();
  readonly #familiesOf = new Map<string, readonly Family[]>();
  /** Hosts that differ only in the ending of their domain (`.de`, `.co.uk`), by the name without that ending. */
  readonly #countries: ReadonlyMap<string, readonly string[]>;
  /** Lifetimes of folders, by host and folder: many files in one folder count once. */
  readonly #places: Lives = new Map();
  /** Lifetimes of names, by host, parent folder and shape of the name. Built when a folder is first judged. */
  #below: ReadonlyMap<string, Lives> | undefined;
  #latest = -Infinity;

  constructor(items: readonly ReadItem[]) {
    const hosts: Lives = new Map();
    for (const { url, pathname, seen } of items) {
      if (url === undefined || url.host === "") continue;
      const { firstSeenAt, lastSeenAt } = seen.item;
      const life = {
        first: Date.parse(firstSeenAt ?? "") || Infinity,
        last: Date.parse(lastSeenAt ?? "") || -Infinity,
      };
      note(hosts, url.host, life);
      note(this.#places, url.host + toFolder(pathname), life);
    }
    this.#countries = groupBy(hosts.keys(), withoutCountry);
    for (const [host, life] of hosts) {
      this.#latest = Math.max(this.#latest, life.last);
      const families = this.#familiesFor(host);
      this.#familiesOf.set(host, families);
      for (const family of families) family.hosts.set(host, life);
    }
  }

  /**
   * Returns the wildcard for a host that rotates: `*.tile.example.com` for `b.tile.example.com`. A host rotates if similar hosts
   * were seen, or if it is a new host with a number or an id on a domain of one company. Undefined for shared domains.
   */
  findWildcard(host: string): string | undefined {
    const families = this.#familiesOf.get(host) ?? [];
    const parent = families.find((one) => this.#isRotating(one) || this.#isOfCompany(host, one))?.parent;
    return parent && !isAboveOwners(parent) ? `*.${parent}` : undefined;
  }

  /**
   * Whether a host with a number or an id belongs to the company of its domain, and therefore probably rotates. A host that has
   * been in use for a long time does not rotate: it is probably the site's own account or region, which stays.
   */
  #isOfCompany(host: string, { hosts, parent, isNumbered }: Family): boolean {
    if (!isNumbered || hasLived(hosts.get(host), lastingAfterMs)) return false;
    const company = findCompany(host);
    return company?.does !== undefined && !company.isHosting && findCompany(parent)?.name === company.name;
  }

  /** Whether hosts rotate. Hosts with ids may belong to two customers: they rotate only if one of them is gone or they are many. */
  #isRotating({ hosts, isById }: Family): boolean {
    if (hosts.size < 2 || !isById || hosts.size >= manyIds) return hosts.size > 1;
    return ![...hosts.values()].every((life) => this.#isInUse(life));
  }

  /** Whether visitors may meet other hosts of the same kind, because some were seen or the name looks like one of many. */
  mayRotate(host: string): boolean {
    const countries = this.#countries.get(withoutCountry(host)) ?? [];
    return countries.length > 1 || (this.#familiesOf.get(host) ?? []).length > 0;
  }

  /** Returns the folders of a path, the widest first: `lasting` are those that the next release keeps. */
  folders(host: string, pathname: string) {
    const all = splitFolders(pathname);
    const first = all.findIndex((folder) => this.#isReplaced(host, folder));
    const end = first === -1 ? all.length : first;
    return { lasting: all.slice(0, end), ofOneRelease: all.slice(end) };
  }

  /** Whether a release replaces a folder. Judges by similar folders; without any, by the form of the folder's name. */
  #isReplaced(host: string, folder: string): boolean {
    const { key, name } = readShape(host, folder);
    // A version, a date or a month is never the id of a customer.
    if (isOfVersion(name) || monthPattern.test(name)) return true;
    this.#below ??= namesBelow(this.#places);
    const beside = this.#below.get(key);
    // A site does not have this many accounts with one vendor.
    if (beside !== undefined && beside.size >= manyIds) return true;
    const lives = [...(beside?.values() ?? [])];
    const isStable = (life: Life) => this.#isInUse(life) && hasLived(life, stableAfterMs);
    if (lives.length > 1) return localePattern.test(name) || !lives.every(isStable);
    return isOfOneRelease(name) && !hasLived(lives[0], lastingAfterMs);
  }

  #isInUse({ last }: Life): boolean {
    return this.#latest - last < goneAfterMs;
  }

  /** Returns a family for each label of the host that looks like one of many labels. */
  #familiesFor(host: string): readonly Family[] {
    const labels = host.split(".");
    const own = labels.length - (ownedDomain(host) ?? host).split(".").length;
    return labels.slice(0, Math.min(own, maxLabels)).flatMap((label, index) => {
      const shape = labelShape(label);
      if (shape === undefined) return [];
      const key = labels.with(index, shape).join(".");
      const parent = labels.slice(index + 1).join(".");
      const isById = shape.includes(idShape);
      const isNumbered = isById || /\d/.test(label);
      const family = this.#families.get(key) ?? { hosts: new Map(), parent, isById, isNumbered };
      this.#families.set(key, family);
      return [family];
    });
  }
}

/** Maximum number of labels that are checked: a host that a person named has no more. */
const maxLabels = 6;

function namesBelow(places: Lives): ReadonlyMap<string, Lives> {
  const below = new Map<string, Lives>();
  for (const [place, life] of places) {
    const slash = place.indexOf("/");
    const host = place.slice(0, slash);
    for (const folder of splitFolders(place.slice(slash))) {
      const { key, name } = readShape(host, folder);
      const names = below.get(key) ?? new Map<string, Life>();
      below.set(key, names);
      note(names, name, life);
    }
  }
  return below;
}

/**
 * Returns a folder's name, and the key that it shares with folders that may be other releases of the same thing. In the key, a
 * blank separates the parts, because no URL contains one.
 */
function readShape(host: string, folder: string): { readonly key: string; readonly name: string } {
  const at = folder.lastIndexOf("/", folder.length - 2) + 1;
  const name = folder.slice(at, -1);
  return { key: `${host}${folder.slice(0, at)} ${toShape(name)}`, name };
}

function note(lives: Lives, name: string, life: Life): void {
  const { first, last } = lives.get(name) ?? life;
  lives.set(name, { first: Math.min(first, life.first), last: Math.max(last, life.last) });
}

function hasLived(life: Life | undefined, milliseconds: number): boolean {
  return life !== undefined && life.last - life.first >= milliseconds;
}

const regionWords = new Set(
  (
    "us eu ap na sa af me ca uk gb de fr nl in jp cn hk sg au br kr ie se it es emea apac latam asia europe america " +
    "americas fe east west north south central northeast southeast northwest southwest at be ch cz dk fi mx nz pl tw " +
    "ams arn atl bom cdg cph dfw dub ewr fra gru hkg iad icn jfk lax lhr lon mad mia mil muc mxp nrt nyc nym ord osl par " +
    "prg sea sfo sin sjc syd vie waw yyz zrh"
  ).split(" "),
);

const idShape = "*";

/**
 * Returns a host's label in which `#` replaces a number, a single letter or a region, and `*` an id: the part that differs
 * among hosts of the same kind. Undefined if there is no such part.
 */
function labelShape(label: string): string | undefined {
  if (/^[a-z]$/.test(label)) return "#";
  if (label.length > 5 && isGenerated(label)) return idShape;
  if (/\d{4}/.test(label)) return label.replace(/\d{4,}/g, idShape).replace(/\d+/g, "#");
  const parts = label
    .split("-")
    .map((part) => (regionWords.has(part.replace(/\d+$/, "")) ? "#" : part.replace(/\d+/g, "#")));
  const shape = parts.join("-").replace(/#(?:-?#)+/g, "#");
  return shape === label ? undefined : shape;
}

const monthPattern =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;

/** Language codes, such as `de` and `en_US`, which differ between visitors. */
export const localePattern = /^(?:de|en|fr|es|it|nl|pl|pt|sv|da|fi|cs|hu|ro|ja|ko|zh|[a-z]{2}[-_][A-Z]{2})$/;

/** Returns a folder's name with `#` for numbers and generated parts. Names of the same shape may be releases of one thing. */
function toShape(name: string): string {
  if (localePattern.test(name)) return "@";
  if (/\d/.test(name)) return name.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#").replace(/#(?:[-_.]#)+/g, "#");
  return isOfOneRelease(name) ? "#" : name;
}

/** Returns a host without the ending of its domain: `www.google` for `www.google.co.uk`. Other hosts get a dot at the end. */
function withoutCountry(host: string): string {
  const domain = ownedDomain(host);
  if (domain === undefined || !/^[^.]+\.(?:\w+|\w{2,3}\.\w\w)$/.test(domain)) return `${host}.`;
  return host.slice(0, host.length - domain.length + domain.indexOf("."));
}
