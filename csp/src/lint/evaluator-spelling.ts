import { lowerCase } from "../syntax/parse";
import { encodedSlashes, toRequestUrl } from "../syntax/request-url";
import { parseSource } from "../syntax/source";

/**
 * A source as csp_evaluator, which compares by the letter, can read it: keywords, schemes and hosts in lower case. What
 * makes no source harmless is left out: the scheme, the port, the path of the root, and any path on a host that anyone
 * may have. Undefined: it would throw, or accept what browsers ignore.
 */
export function evaluatorSpelling(value: string): string | undefined {
  const source = parseSource(value);
  if (source.kind === "invalid") return undefined;
  if (source.kind === "hash" || source.kind === "nonce") return value;
  if (source.kind !== "host") return lowerCase(value);
  if (source.host === "") return "*";
  if (toRequestUrl(`https://${source.host}`) === undefined) return undefined;
  const path = source.path === "/" ? "" : (source.path ?? "");
  return `${source.isWildcard ? "*." : ""}${source.host}${encodedSlashes(path)}`;
}
