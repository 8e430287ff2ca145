import { planOf } from "../../../provider/src/cli/approval/plan";
import { readEvents } from "../../../provider/src/cli/review/read-events";
import { providerText } from "../../../provider/src/internals/provider-text";
import type { ApprovedStep } from "../../../provider/src/lifecycle/approval/approved-file";
import { type Properties, urnOf } from "../../small-engine/checkpoint";
import type { Program } from "../../small-engine/operation";
import type { SmallEngine } from "../../small-engine/small-engine";

/** Mark of a secret in the engine's events. */
const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

export interface Shown {
  /** The kind of each resource. */
  readonly kindOf: (name: string) => string;
  /** Inputs that are secret, by resource. */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
}

/** The steps that a review would approve, by the events with which the engine shows this preview. */
export async function approvedSteps<Inputs, State extends object>(
  engine: SmallEngine<Inputs, State>,
  program: Program,
  { kindOf, secrets = {} }: Shown,
): Promise<ApprovedStep[]> {
  const events: object[] = [];
  for (const planned of await engine.preview(program)) {
    const [op = "", name = ""] = planned.split(" ");
    const kind = kindOf(name);
    const __provider = providerText(kind);
    const before = engine.state.get(name);
    const declared = program[name];
    const marked = (values: Properties): Properties => ({
      ...values,
      ...Object.fromEntries(
        (secrets[name] ?? []).filter((one) => one in values).map((one) => [one, secretMark]),
      ),
      __provider,
    });
    const metadata = {
      op,
      urn: urnOf(name),
      type: `pulumi-nodejs:dynamic/page-guard:${kind}`,
      old: before && { id: before.id, inputs: marked(before.inputs), outputs: marked(before.outputs) },
      new: declared && { inputs: marked((await engine.checked(name, declared)).inputs) },
    };
    events.push({ resourcePreEvent: { metadata } });
  }
  const lines = events.map((event) => JSON.stringify(event));
  return [...planOf(readEvents(lines)).steps];
}
