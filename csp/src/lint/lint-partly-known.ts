import { build } from "../syntax/build";
import { type LintSetting, lintBy, type ToldFinding } from "./lint";

/** Values that an unknown source may have: a host, nothing, or a value that makes browsers ignore hosts and 'unsafe-inline'. */
const stands = ["unknown.example", "'none'", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"];

/**
 * Returns the findings of `lintBy` on directives with unknown sources (`undefined`) that hold whatever these are. Their
 * positions mean nothing, because the text does not exist yet.
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
