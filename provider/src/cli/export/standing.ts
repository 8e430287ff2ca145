import { z } from "zod";
import type { Rule } from "../../api/client-types";
import type { Properties } from "../../lifecycle/kind";
import { changedPolicyFields } from "../../policies/equal-policy";
import { declaredPolicySchema } from "../../policies/policy-inputs";
import { shape as entrypointShape } from "../../resources/managed-waf-entrypoint/state";
import { toRule } from "../../waf-rules/rule-input";
import { ruleLabel } from "../../waf-rules/rule-label";
import { isSameRule, matchRules } from "../../waf-rules/rule-match";
import { isSameField } from "../../zone/compare";
import { zoneIdOf } from "../../zone/zone-id";
import { distinct } from "../values";
import type { Declared, DeclaredKind } from "./declared";
import type { ExportFolder } from "./folder";
import { fieldDigest, fieldDigests, type LockedZone } from "./lock";
import { slugOf } from "./naming";
import type { Declaration, ProgramRead } from "./read-program";
import type { ZoneFound } from "./read-zone";
import { isUnreadable, unreadable } from "./source-value";

/** What the files declare of one object. */
export interface Standing {
  readonly file: string;
  /** Digests of its arguments. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its place if it cannot be read without running the program: then `fields` are the last known ones. */
  readonly unread?: string | undefined;
  /** Its key in a CspPolicySet, or its name, if a person chose another one. */
  readonly name?: string | undefined;
  readonly isInSet?: boolean | undefined;
  /** Of an entry point: how many rules of the zone are declared, and labels of the others. */
  readonly rules?: { readonly count: number; readonly missing: readonly string[] } | undefined;
}

/** By key, for objects of the zone and of its last export that are in a file. */
export type Standings = ReadonlyMap<string, Standing>;

interface Entry {
  /** Without the zone's slug. */
  readonly name: string | undefined;
  readonly file: string;
  readonly place: string;
  readonly isInSet: boolean;
  /** Its zone id could be read. Otherwise only its name says that it is of this zone. */
  readonly isSure: boolean;
  readonly args: Properties;
}

/** An unedited file declares what was written; the others were read. */
export function standingsOf(
  found: ZoneFound,
  objects: readonly Declared[],
  locked: LockedZone | undefined,
  folder: ExportFolder,
  program: ProgramRead,
  /** Of the zone. */
  mainFile: string,
): Standings {
  const reading = new Reading(found, program);
  const live = new Map(objects.map((object) => [object.key, object]));
  const standings = new Map<string, Standing>();
  const known = Object.entries(locked?.objects ?? {});
  for (const [key, { file, fields }] of known) {
    const isWritten = Object.keys(fields).length > 0;
    if (isWritten && folder.has(file) && folder.isOurs(file)) standings.set(key, { file, fields });
  }
  const rest = known.filter(([key]) => !standings.has(key));
  const add = (key: string, standing: Standing | undefined): void => {
    if (standing) standings.set(key, standing);
  };
  for (const [key, { name }] of rest) add(key, reading.byName(kindOf(key), name, live.get(key)));
  const open = () => objects.filter(({ key }) => !standings.has(key));
  for (const object of open()) add(object.key, reading.byMeaning(object));
  for (const object of open()) add(object.key, reading.byDescription(object, open()));
  for (const [key, { file, fields }] of rest) {
    // The content of a file that is gone may be in one that cannot be read at all.
    const place = [file, mainFile].find((one) => program.unread.some((unread) => unread.place === one));
    const unread = place ?? (folder.has(file) ? reading.unread(kindOf(key)) : undefined);
    if (unread !== undefined && !standings.has(key))
      standings.set(key, { file: place ?? file, fields, unread });
  }
  const fieldsOf = (key: string) => locked?.objects[key]?.fields;
  return new Map([...standings].map(([key, standing]) => [key, lastKnown(standing, fieldsOf(key))]));
}

/** Places that cannot be read without running the program. */
export function unreadOf(standings: Standings): readonly string[] {
  return distinct([...standings.values()].map(({ unread }) => unread));
}

export function kindOf(key: string): DeclaredKind {
  if (key === "settings") return "PageGuardSettings";
  return key === "entrypoint" ? "ManagedWafEntrypoint" : "CspPolicy";
}

function lastKnown(standing: Standing, fields: Standing["fields"] | undefined): Standing {
  return standing.unread === undefined || fields === undefined ? standing : { ...standing, fields };
}

/** What edited files declare of one zone. Each declaration is of one object. */
class Reading {
  readonly #entries: Record<DeclaredKind, Entry[]> = {
    PageGuardSettings: [],
    CspPolicy: [],
    ManagedWafEntrypoint: [],
  };
  readonly #unread: { readonly kind?: DeclaredKind; readonly place: string }[] = [];
  readonly #rules: readonly Rule[];

  constructor({ zone, entrypoint }: ZoneFound, { declarations, unread }: ProgramRead) {
    this.#rules = entrypoint?.rules ?? [];
    for (const { kind, place } of unread) this.#unread.push({ ...(kind && { kind: single(kind) }), place });
    const prefix = `${slugOf(zone)}-`;
    for (const declaration of declarations) {
      const { kind, name, args, place, file } = declaration;
      const { zoneId } = args;
      const isSure = zoneIdOf(zoneId) === zone.id;
      if (!isSure && !isUnreadable(zoneId)) continue;
      const short =
        typeof name === "string" && name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
      if (kind === "CspPolicySet" && (isSure || short === "policies")) this.#readSet(declaration);
      else if (kind === "CspPolicySet") this.#unread.push({ kind: "CspPolicy", place });
      else this.#entries[kind].push({ name: short, file, place, isInSet: false, isSure, args });
    }
  }

  #readSet({ args: { policies }, file, place }: Declaration): void {
    if (typeof policies !== "object" || policies === null) {
      this.#unread.push({ kind: "CspPolicy", place });
      return;
    }
    for (const [key, entry] of Object.entries(policies)) {
      const args =
        typeof entry === "object" && entry !== null ? { description: key, ...entry } : { value: unreadable };
      this.#entries.CspPolicy.push({ name: key, file, place, isInSet: true, isSure: true, args });
    }
  }

  /** What was exported under this name, whatever its arguments are now. */
  byName(kind: DeclaredKind, name: string, live: Declared | undefined): Standing | undefined {
    const isOne = kind !== "CspPolicy";
    return this.#take(kind, (entry) => entry.name === name || (isOne && entry.isSure), live);
  }

  /** What was renamed since, or never exported. */
  byMeaning(live: Declared): Standing | undefined {
    return this.#take(
      live.kind,
      ({ args, isSure }) =>
        isSure &&
        (live.kind !== "CspPolicy" ||
          (declaredPolicySchema.safeParse(args).success &&
            changedPolicyFields(args, live.args).length === 0)),
      live,
    );
  }

  /** What was renamed and changed since: by its description. */
  byDescription(live: Declared, others: readonly Declared[]): Standing | undefined {
    const { description } = live.args;
    const isIt = ({ args }: Pick<Declared, "args">): boolean =>
      isSameField("policy", "description", args["description"], description);
    const isOne =
      others.filter((other) => other.kind === "CspPolicy" && isIt(other)).length === 1 &&
      this.#entries.CspPolicy.filter((entry) => entry.isSure && isIt(entry)).length === 1;
    if (live.kind !== "CspPolicy" || !isOne) return undefined;
    return this.#take("CspPolicy", (entry) => entry.isSure && isIt(entry), live);
  }

  /** A place where it may be declared unreadably. */
  unread(wanted: DeclaredKind): string | undefined {
    const unread = this.#unread.find(({ kind }) => kind === undefined || kind === wanted);
    return (unread ?? this.#entries[wanted].find(({ isSure }) => !isSure))?.place;
  }

  #take(kind: DeclaredKind, is: (entry: Entry) => boolean, live: Declared | undefined): Standing | undefined {
    const entries = this.#entries[kind];
    const index = entries.findIndex(is);
    const [entry] = index < 0 ? [] : entries.splice(index, 1);
    if (!entry) return undefined;
    const { file, place, isInSet, name, args } = entry;
    const said = readers[kind](args, live?.args ?? {}, this.#rules);
    const fields = said && {
      ...fieldDigests(live?.args ?? {}),
      ...Object.fromEntries(said.differs.map((field) => [field, fieldDigest(args[field])])),
    };
    return {
      file,
      fields: fields ?? {},
      isInSet,
      ...(kind === "CspPolicy" && { name }),
      ...(fields ? { rules: said.rules } : { unread: place }),
    };
  }
}

interface Said {
  readonly differs: readonly string[];
  readonly rules?: Standing["rules"];
}

/** Undefined if it cannot be read without running the program, or the resource would refuse it. */
const readers: Readonly<
  Record<DeclaredKind, (args: Properties, live: Properties, rules: readonly Rule[]) => Said | undefined>
> = {
  PageGuardSettings: (args, live) => {
    const switches = Object.keys(live).filter((name) => name !== "onDestroy" && args[name] !== undefined);
    if (switches.some((name) => isUnreadable(args[name]))) return undefined;
    return { differs: switches.filter((name) => args[name] !== live[name]) };
  },
  CspPolicy: (args, live) => {
    const { success } = declaredPolicySchema.safeParse(args);
    return success ? { differs: changedPolicyFields(args, live) } : undefined;
  },
  ManagedWafEntrypoint: (args, live, rules) => {
    const declared = entrypointSchema.safeParse(args);
    if (!declared.success || isUnreadable(args["rules"])) return undefined;
    const wanted = declared.data.rules.map(toRule);
    const refs = new Set(wanted.map(({ ref }) => ref));
    const known = rules.filter(({ ref }) => ref !== undefined && refs.has(ref));
    const match = matchRules(wanted, known, rules);
    const places = match.live.map((rule) => (rule ? rules.indexOf(rule) : -1));
    const isSame =
      wanted.length === rules.length &&
      wanted.every((rule, index) => {
        const there = rules[index];
        return places[index] === index && there !== undefined && isSameRule(rule, there);
      });
    const missing = rules.filter((_, index) => !places.includes(index));
    return {
      differs: [
        ...(args["name"] === undefined || args["name"] === live["name"] ? [] : ["name"]),
        ...(isSame ? [] : ["rules"]),
      ],
      rules: { count: rules.length - missing.length, missing: missing.map(ruleLabel) },
    };
  },
};

const entrypointSchema = z.object({ name: entrypointShape.name, rules: entrypointShape.rules });

function single(kind: Declaration["kind"]): DeclaredKind {
  return kind === "CspPolicySet" ? "CspPolicy" : kind;
}
