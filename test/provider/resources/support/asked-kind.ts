import type { Kind } from "../../../../provider/src/lifecycle/kind";
import type { Finding } from "../../../../provider/src/model/finding";
import type { Properties } from "../../../../provider/src/model/properties";

/** Returns the findings of a kind about inputs, without a request. */
export function inspected<Inputs, State>(
  kind: Kind<Inputs, State>,
  inputs: Properties,
  wanted: "all" | "errors" = "all",
): readonly Finding[] {
  return kind.inspect?.({ values: inputs, wanted }) ?? [];
}
