import * as pulumi from "@pulumi/pulumi";
import { isConstruction } from "../internals/shared-run";
import { type Finding, findingText } from "../lifecycle/finding";
import { withCode } from "../text/with-code";

/**
 * Keeps the construction of a packaged component from succeeding before this resource is registered. The SDK answers when no
 * request is pending, and a registration whose input fails is none: whether the failure or the answer is first would be
 * a matter of turns, and after the answer the engine deletes what was not registered.
 */
export function holdConstruction(resource: pulumi.Resource): void {
  if (!isConstruction()) return;
  // The URN of a resource that is given up stays open, and with it what is held here. The SDK answers with the failure.
  resource.urn.apply(pulumi.runtime.rpcKeepAlive());
}

/**
 * What a declaration throws that is refused in a packaged component. The SDK gives it to the component that it is thrown in;
 * what is uncaught, as in an `apply`, it gives to all that are under construction.
 */
export function constructionRefusal(label: string, findings: readonly Finding[]): Error {
  const changed = pulumi.runtime.isDryRun()
    ? "Nothing was changed"
    : "It was not changed; the rest of the component and of the program may have been";
  const text = (what: string) =>
    withCode(`Failed to declare ${label}${what}. ${changed}.`, "program-refused");
  const refusal = new pulumi.InputPropertiesError({
    message: text(""),
    // With the resource in it, no path is one of the component's own inputs, whose value the engine would show.
    errors: findings.map(({ property, code, message }) => ({
      propertyPath: property === "" ? label : `${property} of ${label}`,
      reason: withCode(message, code),
    })),
  });
  // For an uncaught one gRPC sends these, and no errors.
  const invalidArgument = 3;
  const details = text(`: ${findings.map(findingText).join("; ")}`);
  return Object.assign(refusal, { code: invalidArgument, details });
}
