import { build } from "../syntax/build";

/** Directives that are partly unknown: undefined for such a source, or such a list. */
export type PartlyKnown = Readonly<Record<string, readonly (string | undefined)[] | undefined>>;

/** What an unknown source may be: a host does not affect other sources, each of the rest makes browsers ignore some. */
const possibleSources = [
  "https://unknown.example",
  "'none'",
  "'unsafe-inline'",
  "'strict-dynamic'",
  `'sha256-${"A".repeat(43)}='`,
] as const;

/**
 * Texts that represent all that the policy may be: what lint reports for each of them is true for what is
 * known, whatever the rest is.
 *
 * @throws CspError as `build` does, for what is known.
 */
export function possibleTexts(policy: PartlyKnown): string[] {
  return possibleSources.map((source) => {
    // For a list without sources lint reports only what it reports for any.
    const known = (sources: PartlyKnown[string]) => sources?.map((one) => one ?? source) ?? [];
    return build(Object.fromEntries(Object.entries(policy).map(([name, sources]) => [name, known(sources)])));
  });
}
