import { clean } from "../texts";
import { type Narrowed, type Wider, withoutCovered } from "./choose-sources";
import type { Excluded } from "./exclusion";
import type { Suggestion } from "./suggest";

/** A remark on a suggestion, safe to show in a terminal or a CI log. */
export interface SuggestionRemark {
  /** Stable code: `still-allowed`, `left-out-malicious`, or the name of a lint rule; listed in `docs/commands/suggest.md`. */
  readonly code: string;
  /** Severity. A warning concerns something dangerous that is allowed or something that will break. */
  readonly severity: "warning" | "note";
  readonly text: string;
}

/** A suggestion in words. Each line is safe to show in a terminal or a CI log. */
export interface ToldSuggestion {
  /**
   * Lines that a reader must see: items that are allowed although they are not suggested, findings of severity high, and
   * content that the policy will break.
   */
  readonly warnings: readonly string[];
  /** Lines about sources narrower or wider than requested, items that are not allowed, and content that no list shows. */
  readonly notes: readonly string[];
}

/**
 * Describes a suggestion: items that it leaves out, items that it cannot keep out, and content that it will break. Show the
 * warnings before the suggestion itself.
 *
 * @example
 * ```ts
 * for (const line of tellSuggestion(suggest(scripts, connections)).warnings) console.warn(line);
 * ```
 */
export function tellSuggestion(suggestion: Suggestion): ToldSuggestion {
  const remarks = remarksOn(suggestion);
  const of = (wanted: SuggestionRemark["severity"]) =>
    remarks.filter(({ severity }) => severity === wanted).map(({ text }) => text);
  return { warnings: of("warning"), notes: of("note") };
}

/** Returns the remarks of `tellSuggestion` with a code for each. */
export function remarksOn(suggestion: Suggestion): readonly SuggestionRemark[] {
  const { excluded, findings, narrowed, bytes, maxBytes, ofOneRelease, unseen, mayChange } = suggestion;
  const allowed = excluded.filter(({ allowedBy }) => allowedBy !== undefined);
  const blocked = excluded.filter(({ allowedBy }) => allowedBy === undefined);
  const tooNew = blocked.filter(({ reason }) => reason === "too-new");
  const others = blocked.filter(({ reason }) => reason !== "too-new");
  const isSelfNarrowed = narrowed.some(({ source }) => source === "'self'");
  const sayIf = (isSo: boolean, remark: SuggestionRemark) => (isSo ? [remark] : []);
  return [
    ...allowed.map((one) =>
      warning("still-allowed", `STILL ALLOWED, by ${clean(one.allowedBy ?? "")}: ${described(one)}`),
    ),
    ...findings.map(({ ruleId, message }) => warning(ruleId, `STILL UNSAFE: ${message} (${ruleId})`)),
    ...sayIf(!suggestion.isMaliceKnown, warning("malice-not-known", maliceNotKnown)),
    ...sayIf(isSelfNarrowed, warning("narrowed-self", narrowedSelf)),
    ...sayIf(bytes > maxBytes, warning("too-long", tooLong(bytes, maxBytes))),
    ...sayIf(ofOneRelease.length > 0, warning("of-one-release", breaks(ofOneRelease))),
    ...sayIf(mayChange.length > 0, warning("may-change", `MAY CHANGE: ${all(mayChange)}. ${changing}`)),
    ...sayIf(tooNew.length > 0, warning("left-out-too-new", newOnes(tooNew))),
    ...sayIf(suggestion.isAllNew, note("all-new", allNew)),
    ...suggestion.wider.map((one) => note("wider", widerLine(one))),
    ...narrowedToReport(narrowed).map((one) => note(`narrowed-${one.reason}`, narrowedLine(one))),
    ...others.map((one) => note(`left-out-${one.reason}`, `Not allowed: ${described(one)}`)),
    ...sayIf(unseen.length > 0, note("also-restricted", alsoRestricted(unseen))),
  ];
}

const maliceNotKnown =
  "MALICE IS NOT KNOWN: this plan shows no integrity scores and no reports, so malicious items could not be left out. Check each host.";
const narrowedSelf =
  "NARROWED: 'self' also allows something malicious, so paths or URLs of your own host replace it. New files elsewhere on your host will be blocked: remove the malicious file and run suggest again.";
const tooLong = (bytes: number, maxBytes: number) =>
  `TOO LONG: the policy has ${bytes} bytes, more than ${maxBytes}, and is sent with every page. Remove unneeded hosts from your pages, or write a policy for each host (--host).`;
const breaks = (sources: readonly string[]) =>
  `BREAKS WITH THE NEXT RELEASE: ${all(sources)}. Each names a version, a build, a date or an id, and nothing wider is safe or was requested. Load a range that the CDN serves (vue@3 for vue@3.4.21) or pin the file and its hash (integrity), serve it from your own host, or run suggest again before the vendor's next release.`;
const newOnes = (items: readonly Excluded[]) =>
  `LEFT OUT, because they are too new or few visitors have met them. To include them deliberately, pass --min-age 0.${items.map((one) => `\n  ${described(one)}`).join("")}`;
const allNew =
  "Everything was first seen in the last 3 days, so nothing was left out for its age: run suggest again in a week.";
const changing =
  "Each names a number, a letter, a region, a country, a language or a version, and the vendor may use others.";
const narrowedLine = ({ source, reason }: Narrowed) =>
  `Narrower than requested: ${clean(source)} ${reasonTexts[reason]}, so paths or URLs replace it.`;
/** Describes kinds of content that no list shows. Mentions `blob:`, which scripts need to create workers from text. */
const alsoRestricted = (kinds: readonly string[]) =>
  `Also restricted, although no list shows them: ${kinds.join(", ").replace("workers", "workers (also from blob:)")}. Read the reports of the policy in log before you enforce it.`;

function widerLine({ source, instead }: Wider): string {
  const why = source.includes("*.")
    ? "visitors meet other hosts of the same kind"
    : "no folder there is sure to stay in the next release";
  return `Wider than requested: ${clean(source)} in place of ${all(instead)}, because ${why}.`;
}

export function warning(code: string, text: string): SuggestionRemark {
  return { code, severity: "warning", text };
}

export function note(code: string, text: string): SuggestionRemark {
  return { code, severity: "note", text };
}

/** Returns all sources for a message. None is left out, because each needs an action. */
function all(sources: readonly string[]): string {
  return sources.map((source) => clean(source)).join(", ");
}

function described({ kind, item, message }: Excluded): string {
  const page = item.firstPageUrl === undefined ? "an unknown page" : clean(item.firstPageUrl);
  return `${kind} ${clean(item.url)}, ${clean(message)}; seen on ${page}.`;
}

const reasonTexts: Readonly<Record<Narrowed["reason"], string>> = {
  malicious: "also allows something malicious",
  "anyone-publishes": "allows scripts that anyone can publish there",
  bypass: "is known to let scripts bypass policies",
};

/** Returns the narrowed sources that no other narrowed source covers. Leaves out `'self'`, which has a remark of its own. */
function narrowedToReport(narrowed: readonly Narrowed[]): readonly Narrowed[] {
  const widest = new Set(withoutCovered(narrowed.map(({ source }) => source)));
  return narrowed.filter(({ source }) => source !== "'self'" && widest.has(source));
}
