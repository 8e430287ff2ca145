import type { SeenItem } from "../impact/seen-item";
import { isAboveOwners, ownedDomain } from "../lint/anyone-publishes";
import { parseUrl } from "../texts";
import { foldersOf, isGenerated, isOfOneRelease, isOfVersion } from "./stable-path";

export const dayMs = 24 * 60 * 60 * 1000;
/** A name that was not seen for so long is gone. */
const goneAfterMs = 2 * dayMs;
/** What was in use for so long beside others of its kind is another customer's or module's, and no release. */
const stableAfterMs = 5 * dayMs;
/** An id that nothing has replaced for so long is no release either. */
const lastingAfterMs = 10 * dayMs;

/** From so many names by id on they are visitors' or builds', not those of one site's accounts. */
const manyIds = 4;

/** When a name was met first and last; undefined where the service does not say. */
interface Life {
  first: number | undefined;
  last: number | undefined;
}

interface Place {
  readonly host: string;
  /** A folder. */
  readonly path: string;
  readonly life: Life;
}

/** Hosts that differ in one label, or one of them whose label looks like one of many. */
interface Family {
  readonly hosts: Map<string, Life>;
  /** What is behind that label. */
  readonly parent: string;
  /** The label is an id, not a number, a letter or a region. */
  readonly isById: boolean;
}

/** Folders of a path, the widest first, as far as the next release keeps them. */
interface Folders {
  readonly lasting: readonly string[];
  readonly ofOneRelease: readonly string[];
}

/**
 * What many URLs together show: hosts of which each visitor meets another one, and folders that a release replaces. Two that
 * were seen prove more than the shape of one: `v3` beside `v4`, or an id that was there all the time.
 */
export class Evidence {
  readonly #families = new Map<string, Family>();
  readonly #familiesOf = new Map<string, readonly Family[]>();
  /** Name without its country to the host that has it; empty where several have. */
  readonly #countries = new Map<string, string>();
  readonly #places: readonly Place[];
  /** Folder, with its host, and a shape, to the names of that shape below it. Made for the first question about a folder. */
  #below: ReadonlyMap<string, ReadonlyMap<string, Life>> | undefined;
  readonly #foldersAt = new Map<string, Folders>();
  #latest: number | undefined;

  constructor(items: readonly SeenItem[]) {
    // Of many files in one folder only the folder counts.
    const places = new Map<string, Place>();
    for (const { item } of items) {
      const url = parseUrl(item.url);
      if (url === undefined || url.hostname === "") continue;
      const { hostname: host, pathname } = url;
      const path = pathname.slice(0, pathname.lastIndexOf("/") + 1);
      const life = { first: timeOf(item.firstSeenAt), last: timeOf(item.lastSeenAt) };
      const known = places.get(host + path);
      if (known === undefined) places.set(host + path, { host, path, life });
      else extendLife(known.life, life);
    }
    this.#places = [...places.values()];
    for (const { host, life } of this.#places) {
      if (life.last !== undefined && (this.#latest === undefined || this.#latest < life.last))
        this.#latest = life.last;
      this.#noteHost(host, life);
    }
  }

  /** `*.tile.example.com` for `b.tile.example.com`, where others of its kind were met and all are one owner's. */
  wildcardFor(host: string): string | undefined {
    const family = this.#familiesOf.get(host)?.find((one) => this.#isRotating(one));
    return family === undefined ||
      isAboveOwners(family.parent) ||
      ownedDomain(`x.${family.parent}`) === undefined
      ? undefined
      : `*.${family.parent}`;
  }

  /** Hosts by an id may be those of two customers: they rotate where one is gone, or where there are many. */
  #isRotating({ hosts, isById }: Family): boolean {
    if (hosts.size < 2 || !isById || hosts.size >= manyIds) return hosts.size > 1;
    return ![...hosts.values()].every((life) => this.#isInUse(life));
  }

  /** Whether visitors may meet others of its kind: some have, or its name looks like one of many. */
  mayRotate(host: string): boolean {
    return (
      this.#countries.get(withoutCountry(host) ?? "") === "" || (this.#familiesOf.get(host) ?? []).length > 0
    );
  }

  folders(host: string, pathname: string): Folders {
    const place = host + pathname.slice(0, pathname.lastIndexOf("/") + 1);
    const known = this.#foldersAt.get(place);
    if (known !== undefined) return known;
    const folders = this.#foldersOf(host, foldersOf(pathname));
    this.#foldersAt.set(place, folders);
    return folders;
  }

  #foldersOf(host: string, all: readonly string[]): Folders {
    const first = all.findIndex((folder) => this.#isReplaced(host, folder));
    return first === -1
      ? { lasting: all, ofOneRelease: [] }
      : { lasting: all.slice(0, first), ofOneRelease: all.slice(first) };
  }

  /** By what was seen beside it; where nothing was, by its shape. */
  #isReplaced(host: string, folder: string): boolean {
    const { parent, name } = splitFolder(folder);
    this.#below ??= namesBelow(this.#places);
    const kin = this.#below.get(keyOfShape(host + parent, name));
    // So many are no customers of one site.
    if (kin !== undefined && kin.size >= manyIds) return true;
    const lives = [...(kin?.values() ?? [])];
    if (lives.length > 1) return !lives.every((life) => this.#isInUse(life) && hasLived(life, stableAfterMs));
    if (monthPattern.test(name)) return true;
    return isOfOneRelease(name) && (isOfVersion(name) || !hasLived(lives[0], lastingAfterMs));
  }

  #isInUse({ last }: Life): boolean {
    return last !== undefined && this.#latest !== undefined && this.#latest - last < goneAfterMs;
  }

  #noteHost(host: string, life: Life): void {
    const known = this.#familiesOf.get(host);
    const families = known ?? this.#familiesFor(host);
    if (known === undefined) this.#familiesOf.set(host, families);
    for (const { hosts } of families) extend(hosts, host, life);
    const name = withoutCountry(host);
    if (known !== undefined || name === undefined) return;
    this.#countries.set(name, this.#countries.has(name) ? "" : host);
  }

  /** One for each of its labels that is one of many. */
  #familiesFor(host: string): readonly Family[] {
    const domain = ownedDomain(host);
    if (domain === undefined || domain === host) return [];
    const labels = host.split(".");
    const own = labels.length - domain.split(".").length;
    return labels.slice(0, Math.min(own, mostLabels)).flatMap((label, index) => {
      const shape = labelShape(label);
      if (shape === undefined) return [];
      const key = labels.with(index, shape).join(".");
      const family = this.#families.get(key) ?? {
        hosts: new Map(),
        parent: labels.slice(index + 1).join("."),
        isById: shape.includes(idShape),
      };
      this.#families.set(key, family);
      return [family];
    });
  }
}

function namesBelow(places: readonly Place[]): ReadonlyMap<string, ReadonlyMap<string, Life>> {
  const below = new Map<string, Map<string, Life>>();
  for (const { host, path, life } of places) {
    for (const folder of foldersOf(path)) {
      const { parent, name } = splitFolder(folder);
      const key = keyOfShape(host + parent, name);
      const names = below.get(key) ?? new Map<string, Life>();
      below.set(key, names);
      extend(names, name, life);
    }
  }
  return below;
}

/** No URL has a blank. */
function keyOfShape(folder: string, name: string): string {
  return `${folder} ${shapeOf(name)}`;
}

/** More labels no host has that anyone wrote. */
const mostLabels = 6;

function extend(lives: Map<string, Life>, name: string, by: Life): void {
  const life = lives.get(name);
  if (life === undefined) lives.set(name, { ...by });
  else extendLife(life, by);
}

function extendLife(life: Life, { first, last }: Life): void {
  if (first !== undefined && (life.first === undefined || first < life.first)) life.first = first;
  if (last !== undefined && (life.last === undefined || last > life.last)) life.last = last;
}

function hasLived(life: Life | undefined, milliseconds: number): boolean {
  return life?.first !== undefined && life.last !== undefined && life.last - life.first >= milliseconds;
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}

const regionWords = new Set(
  (
    "us eu ap na sa af me ca uk gb de fr nl in jp cn hk sg au br kr ie se it es emea apac latam asia europe america " +
    "americas fe east west north south central northeast southeast northwest southwest"
  ).split(" "),
);

const idShape = "*";

/**
 * A label of a host with `#` for what tells it from others of its kind: a number, a single letter, a region, an id (`*`).
 * Undefined: nothing does.
 */
function labelShape(label: string): string | undefined {
  if (/^[a-z]$/.test(label)) return "#";
  if (label.length > 5 && isGenerated(label)) return idShape;
  if (/\d{4}/.test(label)) return label.replace(/\d{4,}/g, idShape);
  const parts = label.split("-").map((part) => (regionWords.has(part) ? "#" : part.replace(/\d+/g, "#")));
  const shape = parts.join("-").replace(/#(?:-?#)+/g, "#");
  return shape === label ? undefined : shape;
}

const monthPattern =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;

/** A folder's name with `#` for numbers and what looks generated: two of one shape may be releases of one thing. */
function shapeOf(name: string): string {
  if (/\d/.test(name)) return name.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#").replace(/#(?:[-_.]#)+/g, "#");
  return isOfOneRelease(name) ? "#" : name;
}

function splitFolder(folder: string): { readonly parent: string; readonly name: string } {
  const at = folder.lastIndexOf("/", folder.length - 2);
  return { parent: folder.slice(0, at + 1), name: folder.slice(at + 1, -1) };
}

/** `www.google` for `www.google.co.uk`. */
function withoutCountry(host: string): string | undefined {
  const domain = ownedDomain(host);
  return domain === undefined ? undefined : host.slice(0, host.length - domain.length + domain.indexOf("."));
}
