import { build } from "../syntax/build";
import { type LintSetting, lintBy, type ToldFinding } from "./lint";

/** What an unknown source may turn out to be: a host, nothing, or what makes browsers ignore hosts and 'unsafe-inline'. */
const stands = ["unknown.example", "'none'", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"];

/**
 * The findings of `lintBy` on directives of which some sources are not known yet (`undefined`), as far as they hold whatever
 * those are. Their positions mean nothing: the text is not there yet.
 *
 * @throws CspError where a directive cannot be written.
 */
export function lintPartlyKnown(
  directives: Readonly<Record<string, readonly (string | undefined)[]>>,
  setting?: LintSetting,
): ToldFinding[] {
  const [found = [], ...others] = stands.map((stand) => {
    const known = Object.entries(directives).map(([name, list]) => [name, list.map((one) => one ?? stand)]);
    return lintBy(build(Object.fromEntries(known)), setting);
  });
  return found.filter(({ ruleId, message }) =>
    others.every((list) => list.some((other) => other.ruleId === ruleId && other.message === message)),
  );
}
