import type { Kind } from "../../../../provider/src/lifecycle/kind";
import type { Finding } from "../../../../provider/src/model/finding";
import type { Properties } from "../../../../provider/src/model/properties";

/** What a kind finds in inputs without a request. */
export function inspected<Inputs, State>(
  kind: Kind<Inputs, State>,
  inputs: Properties,
  wanted: "all" | "errors" = "all",
): readonly Finding[] {
  return kind.inspect?.({ values: inputs, wanted }) ?? [];
}

/** Which inputs differ from a state. */
export function changedInputs<Inputs, State>(
  kind: Kind<Inputs, State>,
  state: Properties,
  inputs: Properties,
): readonly string[] {
  return kind.changedInputs({ state: kind.parseState(state), values: inputs });
}
