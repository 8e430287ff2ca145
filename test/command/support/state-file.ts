import type { Properties, Recorded } from "../../provider/small-engine/checkpoint";

export interface RecordedKind {
  readonly kind: string;
  readonly state: ReadonlyMap<string, Recorded>;
}

/** Returns the small engine's state in the format of `pulumi stack export`. `change` may replace inputs. */
export function stateText(
  kinds: readonly RecordedKind[],
  change: (name: string, inputs: Properties) => Properties = (_name, inputs) => inputs,
): string {
  let line = 5;
  const resources = kinds.flatMap(({ kind, state }) =>
    [...state].map(([name, { id, inputs, outputs }]) => {
      line += 1;
      const type = `pulumi-nodejs:dynamic/page-guard:${kind}`;
      return {
        urn: `urn:pulumi:dev::infra::${type}::${name}`,
        custom: true,
        id,
        type,
        inputs: change(name, inputs),
        outputs,
        sourcePosition:
          "project:///node_modules/pulumi-page-guard/dist/declaration/page-guard-resource.js#1,1",
        stackTrace: [
          {
            sourcePosition:
              "project:///node_modules/pulumi-page-guard/dist/resources/csp-policy/csp-policy.js#1,1",
          },
          { sourcePosition: `project:///index.ts#${line},1` },
        ],
      };
    }),
  );
  return JSON.stringify({ version: 3, deployment: { manifest: {}, resources } });
}

/** Returns a secret in the engine's format, decrypted by `--show-secrets` or not. */
export function secret(value: unknown, isOpen: boolean): object {
  return {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    ...(isOpen ? { plaintext: JSON.stringify(value) } : { ciphertext: "v1:abc" }),
  };
}
