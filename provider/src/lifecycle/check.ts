import type * as pulumi from "@pulumi/pulumi";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import { Draft } from "./draft";
import { asFindings, report } from "./failures";
import { readCarriedUrn, withoutHidden, withUrn } from "./hidden-inputs";
import { inspectDeclaration } from "./inspect-declaration";
import type { KindSession } from "./kind-session";
import { createFindings, rivalFindings } from "./plan-create";
import { rememberChecked } from "./remediated-inputs";
import { onResource } from "./run";
import { checkedResources, collectSecrets } from "./secret-inputs";
import { readRecordedInputs } from "./state";

/** Implements `check`: checks the inputs, and plans a create. Remembers the resource for later calls. */
export async function checkInputs(
  session: KindSession,
  olds: Properties,
  news: Properties,
): Promise<pulumi.dynamic.CheckResult> {
  const { kind, run } = session;
  const urn = readCarriedUrn(news);
  const given = withoutHidden(news);
  const secrets = collectSecrets(news["__secrets"], given);
  const recorded = Object.keys(olds).length === 0 ? undefined : withoutHidden(olds);
  checkedResources(run).set(urn, { secrets, recorded });
  let inputs = given;
  const found = await asFindings(async () => {
    if (recorded !== undefined) readRecordedInputs(kind, recorded);
    inputs = kind.inRecordedSpelling?.({ recorded, declared: given }) ?? given;
    // If `__secrets` is absent, the program knew all values and has already shown the warnings. The plugin always sets
    // `__secrets`.
    return collectFindings(session, urn, inputs, recorded, news["__secrets"] !== undefined);
  });
  const errors = await report(run, found, secrets, { urn, zoneId: inputs["zoneId"] });
  rememberChecked(run, kind.name, urn, inputs);
  return {
    inputs: withUrn(inputs, urn),
    // If a failure named a property, the engine would print its value, which may be secret.
    failures: errors.map((reason) => ({ property: "", reason })),
  };
}

/**
 * Returns the findings about a declaration. `recorded`: inputs of the last update; undefined if the resource is created or
 * recreated. `isUnseen`: whether nobody has seen the warnings yet.
 */
async function collectFindings(
  session: KindSession,
  urn: string,
  inputs: Properties,
  recorded: Properties | undefined,
  isUnseen: boolean,
): Promise<readonly Finding[]> {
  const { kind, run } = session;
  const draft = new Draft(kind, inputs, urn);
  // If `diff` asks for a replacement, the engine calls `check` a second time, without the old inputs.
  const isReplaced = recorded === undefined && session.declared.has(urn);
  const warnings = isUnseen && !isReplaced ? inspectDeclaration(kind, inputs).warnings : [];
  const { errors } = inspectDeclaration(kind, inputs, "errors");
  const wrong = errors.length > 0 ? errors : rivalFindings(kind, run, draft);
  if (wrong.length > 0 || recorded !== undefined) return [...wrong, ...warnings];
  const plan = await onResource(urn, () => createFindings(session, draft));
  return [...warnings, ...plan];
}
