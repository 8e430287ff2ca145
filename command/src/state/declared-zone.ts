import { recordedPolicies } from "pulumi-page-guard/tools";
import { asRecord, type Fields } from "../shared/values";
import type { ObjectKind, RecordedResource } from "./recorded";
import { isClosed, openSecrets, readField } from "./secrets";

/** Objects of one zone that are in the state. */
export type DeclaredZone = ReturnType<typeof declaredZone>;
export type DeclaredPolicy = DeclaredZone["policies"][number];

export function declaredZone(zoneId: string, recorded: readonly RecordedResource[]) {
  const resources = recorded.filter((resource) => resource.zoneId === zoneId);
  const first = (object: ObjectKind) => resources.find((one) => one.object === object);
  return {
    resources,
    settings: first("settings"),
    /** Policies. Values can be `Secret`s. `path` is the prefix of argument names: `policies.checkout.` in a set, else empty. */
    policies: resources.flatMap((resource) => {
      const { id, object, inputs, outputs } = resource;
      if (object !== "policy") return [];
      const was = {
        ...inputs,
        policyId: openSecrets(outputs["policyId"]),
        policyIds: openSecrets(outputs["policyIds"]),
      };
      return recordedPolicies({ id, was }).flatMap(({ key, id: policyId }) => {
        const args = key === "" ? inputs : { description: key, ...readPolicyFields(inputs["policies"], key) };
        return policyId === undefined ? [] : { policyId, path: key && `policies.${key}.`, args, resource };
      });
    }),
    /** Keys of declared policies that were not created, because an update of their set failed. */
    notCreated: resources.flatMap((resource) => {
      const { kind, inputs, outputs } = resource;
      if (kind !== "CspPolicySet" || isClosed(inputs["policies"]) || isClosed(outputs["policyIds"]))
        return [];
      const ids = asRecord(openSecrets(outputs["policyIds"]));
      const keys = Object.keys(asRecord(openSecrets(inputs["policies"])));
      return keys.filter((key) => ids[key] === undefined).map((key) => ({ resource, key }));
    }),
    /** A resource whose policy ids are secret and could not be decrypted, so its policies are not known. */
    hiddenPolicies: resources.find(({ outputs }) => isClosed(outputs["policyIds"])),
    entrypoint: first("rule"),
    migration: first("migration"),
  };
}

/** Returns the arguments of a policy in a set. If the policies are secret as a whole, each argument is secret. */
function readPolicyFields(policies: unknown, key: string): Fields {
  const names = ["description", "action", "expression", "enabled", "value", "directives"];
  const fields = names.map((name) => [name, readField(readField(policies, key), name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
