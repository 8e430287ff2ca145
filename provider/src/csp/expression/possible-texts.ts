import { build } from "../syntax/build";

/** Directives of which not all is known yet: undefined stands for such a source, or for such a list. */
export type PartlyKnown = Readonly<Record<string, readonly (string | undefined)[] | undefined>>;

/** What a source may turn out to be: a host changes nothing for others, and each of the rest makes some of them void. */
const possibleSources = [
  "https://unknown.example",
  "'none'",
  "'unsafe-inline'",
  "'strict-dynamic'",
  `'sha256-${"A".repeat(43)}='`,
] as const;

/**
 * Texts that stand for all that the policy may turn out to say: what lint has to say of each of them holds for what is
 * known, whatever the rest will be.
 *
 * @throws CspError as `build` does, for what is known.
 */
export function possibleTexts(policy: PartlyKnown): string[] {
  return possibleSources.map((source) =>
    build(
      Object.fromEntries(
        // Of a list without sources lint says only what it says of any.
        Object.entries(policy).map(([name, sources]) => [name, sources?.map((one) => one ?? source) ?? []]),
      ),
    ),
  );
}
