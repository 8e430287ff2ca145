import { isAboveOwners, ownedDomain } from "../lint/anyone-publishes";
import { findCompany } from "../lint/find-company";
import { folderOf, type ReadItem } from "./read-item";
import { foldersOf, isGenerated, isOfOneRelease, isOfVersion } from "./stable-path";

export const dayMs = 24 * 60 * 60 * 1000;
/** Time after which a name that was not seen counts as gone. */
const goneAfterMs = 2 * dayMs;
/** Time of use after which a name beside others of its kind belongs to another customer or module, and not to a release. */
const stableAfterMs = 5 * dayMs;
/** Time after which an id that was not replaced is no release either. */
const lastingAfterMs = 10 * dayMs;

/** Number of names with ids from which they belong to visitors or builds, and not to accounts of one site. */
const manyIds = 4;

/** First and last time that a name was seen; infinite if the service does not tell. */
interface Life {
  readonly first: number;
  readonly last: number;
}

type Lives = Map<string, Life>;

/** Hosts that differ in one label, or one of them whose label looks like one of many. */
interface Family {
  readonly hosts: Lives;
  /** Domain behind that label. */
  readonly parent: string;
  /** Whether the label is an id, and not a number, a letter or a region. */
  readonly isById: boolean;
  /** Whether the label has a number or an id. */
  readonly isNumbered: boolean;
}

/**
 * Evidence from many URLs: hosts that differ for each visitor, and folders that a release replaces. Two seen names prove more
 * than the form of one: `v3` beside `v4`, or an id that never changed.
 */
export class Evidence {
  readonly #families = new Map<string, Family>();
  readonly #familiesOf = new Map<string, readonly Family[]>();
  /** Numbers of hosts by their name without its country. */
  readonly #countries = new Map<string, number>();
  /** Lifetimes of folders, each with its host. Many files in one folder count once. */
  readonly #places: Lives = new Map();
  /** Names below each folder (with its host) by their shape. Built on the first question about a folder. */
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
      note(this.#places, url.host + folderOf(pathname), life);
    }
    for (const [host, life] of hosts) {
      this.#latest = Math.max(this.#latest, life.last);
      const name = withoutCountry(host);
      this.#countries.set(name, (this.#countries.get(name) ?? 0) + 1);
      const families = this.#familiesFor(host);
      this.#familiesOf.set(host, families);
      for (const family of families) family.hosts.set(host, life);
    }
  }

  /**
   * Returns the wildcard for a rotating host: `*.tile.example.com` for `b.tile.example.com` if others of its kind were seen and
   * all have one owner; also for one host with a number or an id, if it is new and a company has the domain for itself.
   */
  wildcardFor(host: string): string | undefined {
    const families = this.#familiesOf.get(host) ?? [];
    const parent = families.find((one) => this.#isRotating(one) || this.#isOfCompany(host, one))?.parent;
    return parent && !isAboveOwners(parent) ? `*.${parent}` : undefined;
  }

  /**
   * Whether a host with a number belongs to the company of its domain and rotates. One that never changed is the site's own
   * account or region, and stays.
   */
  #isOfCompany(host: string, { hosts, parent, isNumbered }: Family): boolean {
    if (!isNumbered || hasLived(hosts.get(host), lastingAfterMs)) return false;
    const company = findCompany(host);
    return company?.does !== undefined && !company.isHosting && findCompany(parent)?.name === company.name;
  }

  /** Whether hosts rotate. Hosts with ids may belong to two customers, so they rotate only if one is gone or there are many. */
  #isRotating({ hosts, isById }: Family): boolean {
    if (hosts.size < 2 || !isById || hosts.size >= manyIds) return hosts.size > 1;
    return ![...hosts.values()].every((life) => this.#isInUse(life));
  }

  /** Whether visitors may meet other hosts or folders of its kind: some were seen, or its name looks like one of many. */
  mayRotate(host: string): boolean {
    const countries = this.#countries.get(withoutCountry(host)) ?? 0;
    return countries > 1 || (this.#familiesOf.get(host) ?? []).length > 0;
  }

  /** Returns the folders of a path, the widest first, divided by whether the next release keeps them. */
  folders(host: string, pathname: string) {
    const all = foldersOf(pathname);
    const first = all.findIndex((folder) => this.#isReplaced(host, folder));
    const end = first === -1 ? all.length : first;
    return { lasting: all.slice(0, end), ofOneRelease: all.slice(end) };
  }

  /** Judges a folder by the other folders of its host; without any, by the form of its name. */
  #isReplaced(host: string, folder: string): boolean {
    const { key, name } = shapeAt(host, folder);
    // No customer has such an id, whatever is beside it.
    if (isOfVersion(name) || monthPattern.test(name)) return true;
    this.#below ??= namesBelow(this.#places);
    const beside = this.#below.get(key);
    // So many are no customers of one site.
    if (beside !== undefined && beside.size >= manyIds) return true;
    const lives = [...(beside?.values() ?? [])];
    const isStable = (life: Life) => this.#isInUse(life) && hasLived(life, stableAfterMs);
    if (lives.length > 1) return localePattern.test(name) || !lives.every(isStable);
    return isOfOneRelease(name) && !hasLived(lives[0], lastingAfterMs);
  }

  #isInUse({ last }: Life): boolean {
    return this.#latest - last < goneAfterMs;
  }

  /** Returns a family for each label of a host that looks like one of many. */
  #familiesFor(host: string): readonly Family[] {
    const labels = host.split(".");
    const own = labels.length - (ownedDomain(host) ?? host).split(".").length;
    return labels.slice(0, Math.min(own, mostLabels)).flatMap((label, index) => {
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

/** Most labels of a host that a person named. */
const mostLabels = 6;

function namesBelow(places: Lives): ReadonlyMap<string, Lives> {
  const below = new Map<string, Lives>();
  for (const [place, life] of places) {
    const slash = place.indexOf("/");
    const host = place.slice(0, slash);
    for (const folder of foldersOf(place.slice(slash))) {
      const { key, name } = shapeAt(host, folder);
      const names = below.get(key) ?? new Map<string, Life>();
      below.set(key, names);
      note(names, name, life);
    }
  }
  return below;
}

/**
 * Returns a folder's name and the key that it shares with other folders that may be other releases. No URL contains a blank.
 */
function shapeAt(host: string, folder: string): { readonly key: string; readonly name: string } {
  const at = folder.lastIndexOf("/", folder.length - 2) + 1;
  const name = folder.slice(at, -1);
  return { key: `${host}${folder.slice(0, at)} ${shapeOf(name)}`, name };
}

function note(lives: Lives, name: string, { first, last }: Life): void {
  const known = lives.get(name);
  const life = known && { first: Math.min(first, known.first), last: Math.max(last, known.last) };
  lives.set(name, life ?? { first, last });
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
 * Returns a host's label with `#` for the part that tells it from others of its kind: a number, a single letter, a region, an
 * id (`*`). Undefined if there is no such part.
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

/** Names of languages, such as `de` and `en_US`, which differ between visitors. */
export const localePattern = /^(?:de|en|fr|es|it|nl|pl|pt|sv|da|fi|cs|hu|ro|ja|ko|zh|[a-z]{2}[-_][A-Z]{2})$/;

/** Returns a folder's name with `#` for numbers and generated parts. Two names of one shape may be releases of one thing. */
function shapeOf(name: string): string {
  if (localePattern.test(name)) return "@";
  if (/\d/.test(name)) return name.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#").replace(/#(?:[-_.]#)+/g, "#");
  return isOfOneRelease(name) ? "#" : name;
}

/** Returns a host without its country: `www.google` for `www.google.co.uk`; the host with a dot at its end if it has none. */
function withoutCountry(host: string): string {
  const domain = ownedDomain(host);
  if (domain === undefined || !/^[^.]+\.(?:\w+|\w{2,3}\.\w\w)$/.test(domain)) return `${host}.`;
  return host.slice(0, host.length - domain.length + domain.indexOf("."));
}
