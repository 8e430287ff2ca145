import * as pulumi from "@pulumi/pulumi";
import { withoutWrong, wrongInputs } from "../lifecycle/check-inputs";
import { Draft } from "../lifecycle/draft";
import { errorOn, errorsOf, type Finding, findingText, warningsOf } from "../lifecycle/finding";
import type { Kind, Properties } from "../lifecycle/kind";
import { placesIn, type SecretPlace, secretsOf, withoutSecrets } from "../lifecycle/secret-inputs";
import { containsUnknown, unknownValue } from "../lifecycle/unknown";

/** A kind as its class hands it over: the rules are loaded with the first declaration. */
export interface DeclaredKind {
  readonly name: string;
  readonly load: () => Kind<unknown, unknown>;
  /** What the class has said on purpose stays, whatever a transformation has made of the options. */
  readonly settledOptions?: (
    transformed: pulumi.CustomResourceOptions,
    declared: pulumi.CustomResourceOptions,
  ) => pulumi.CustomResourceOptions;
}

/** The plain part of a resource's arguments. Of a program in JavaScript they may be anything. */
export function presentValues(args: object): Properties {
  return Object(present(args));
}

/** Everything that can be said of a declaration without a request. Values that are not there yet count as unknown. */
export function inspectDeclaration(
  kind: DeclaredKind,
  values: Properties,
  options: pulumi.CustomResourceOptions = {},
): { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] } {
  const loaded = kind.load();
  const wrong = wrongInputs(loaded.shape, values);
  const inspected = loaded.inspect?.(new Draft(loaded, withoutWrong(values, wrong)), "all") ?? [];
  return {
    errors: errorsOf([...importOption(options), ...wrong.map(({ finding }) => finding), ...inspected]),
    warnings: warningsOf(inspected),
  };
}

/** The SDK crashes on it: it would need the provider's text in a state that is not there yet. */
function importOption({ import: id }: pulumi.CustomResourceOptions): Finding[] {
  if (id === undefined) return [];
  return [
    errorOn(
      "",
      "import-option",
      "the option import does not work for this resource, and is not needed: leave it out, and what the zone already has is adopted, as the preview shows. To record many objects at once use an import file, `pulumi import --file FILE --generate-code=false`.",
    ),
  ];
}

const neverWarnedOf = new Set(["zoneId", "connection"]);

/**
 * What can be warned of in values that the program itself does not see when it declares them: reported as soon as they are
 * known, and without a text where they are secret.
 */
export async function warnOfLateValues(
  kind: DeclaredKind,
  args: object,
  values: Properties,
  secretPlaces: Promise<readonly SecretPlace[]> | undefined,
  warn: (finding: Finding) => void,
): Promise<void> {
  const isAnyLate = Object.entries(values).some(
    ([input, value]) => !neverWarnedOf.has(input) && containsUnknown(value),
  );
  if (!isAnyLate) return;
  const places = await secretPlaces;
  const reported = new Set(inspectDeclaration(kind, values).warnings.map(findingText));
  const arrivedValues = Object.fromEntries(
    await Promise.all(
      Object.entries(args)
        .filter(([, value]) => value !== undefined)
        .map(async ([input, value]) => [
          input,
          neverWarnedOf.has(input) ? values[input] : await arrived(value),
        ]),
    ),
  );
  const secrets = secretsOf(places, arrivedValues);
  for (const warning of inspectDeclaration(kind, arrivedValues).warnings)
    if (!reported.has(findingText(warning))) warn(withoutSecrets(warning, secrets));
}

/** The value with all that comes of it in this run. One that a preview does not know hides nothing of the others. */
async function arrived(value: unknown): Promise<unknown> {
  if (isLate(value)) {
    let known: unknown = unknownValue;
    const seen = pulumi.output({ value }).apply((held: object) => {
      known = Reflect.get(held, "value");
    });
    // There is no callback where a value is not known; this is answered then, too. The SDK reports what fails.
    await pulumi.isSecret(seen).catch(() => undefined);
    return known;
  }
  if (Array.isArray(value)) return Promise.all(value.map(arrived));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(
    await Promise.all(entries.map(async ([name, entry]) => [name, await arrived(entry)])),
  );
}

/** Where the inputs are secret, or undefined when none can be: only outputs are. */
export function secretPlacesOf(
  kind: DeclaredKind,
  args: object,
  values: Properties,
): Promise<readonly SecretPlace[]> | undefined {
  const late = Object.entries(args).filter(([name]) => containsUnknown(values[name]));
  if (late.length === 0) return undefined;
  const places = placesIn(kind.load().shape, Object.fromEntries(late), isPlain);
  const asked = places.map(async ([place, value]) => ((await holdsSecret(value)) ? [place] : []));
  // The SDK reports an input that fails; it waits for it as well.
  return Promise.all(asked).then(
    (names) => names.flat(),
    () => [],
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isLate(value) && !Array.isArray(value);
}

function isLate(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

async function holdsSecret(value: unknown): Promise<boolean> {
  if (pulumi.Output.isInstance(value)) return pulumi.isSecret(value);
  if (value instanceof Promise) return holdsSecret(await value);
  if (typeof value !== "object" || value === null) return false;
  return (await Promise.all(Object.values(value).map(holdsSecret))).includes(true);
}

/** The plain part of an `Input<>`: outputs and promises in it become unknown. */
export function present(value: unknown): unknown {
  if (isLate(value)) return unknownValue;
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [name, present(entry)]),
  );
}
