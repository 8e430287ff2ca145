import { build, type Directives } from "../csp/syntax/build";
import { equalPolicies } from "../csp/syntax/equal";
import { parse, toDirectives } from "../csp/syntax/parse";

/** The text as directives, as long as they say all that it says. */
export function losslessDirectives(value: string): Directives | undefined {
  const policy = parse(value);
  // What browsers pass over is still what someone has written, and may be about to correct.
  if (policy.ignored.length > 0 || policy.directives.length === 0) return undefined;
  const directives = toDirectives(policy);
  try {
    return equalPolicies(build(directives), value) ? directives : undefined;
  } catch {
    // A comma ends a policy in a header; no directive can hold one.
    return undefined;
  }
}
