import { readCarriedUrn, withoutHidden, withUrn } from "../../../provider/src/lifecycle/hidden-inputs";
import { inspectDeclaration } from "../../../provider/src/lifecycle/inspect-declaration";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { PartialFailureError } from "../../../provider/src/lifecycle/partial-failure-error";
import type { Run } from "../../../provider/src/lifecycle/run";
import { secret } from "../../../provider/src/model/engine-marks";
import { findingText } from "../../../provider/src/model/finding";
import { servedResource } from "../../../provider/src/plugin/resource";
import { plainValues } from "../../../provider/src/plugin/wire";
import type { Properties } from "./checkpoint";

/**
 * Returns the plugin's provider of a kind with the interface of a dynamic provider. The engine passes the URN and the secret
 * marks to a plugin separately; in this small engine, they are among the inputs.
 */
export function pluginProvider<Inputs, State extends object>(kind: Kind<Inputs, State>, run: Run) {
  // Warnings that only need the declaration. For dynamic resources the program logs them, and this engine runs no program.
  const declared = new Set<string>();
  const say: typeof run.say = async (severity, urn, text) => {
    if (!declared.has(text)) await run.say(severity, urn, text);
  };
  /** Lets the engine check the next resource, as it does while an update is under way. */
  const sleep: typeof run.sleep = async (milliseconds) => {
    await run.sleep(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const resource = servedResource(() => kind, { ...run, say, sleep });
  const hiddenAgain = (values: Properties, urn: string) => withUrn(plainValues(values), urn);
  const recording = async <T>(urn: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PartialFailureError) error.properties = hiddenAgain(error.properties, urn);
      throw error;
    }
  };
  return {
    async check(olds: Properties, news: Properties) {
      const urn = readCarriedUrn(news);
      for (const warning of inspectDeclaration(kind, withoutHidden(news)).warnings)
        declared.add(findingText(warning));
      const { inputs, failures } = await resource.check(urn, withoutHidden(olds), withMarks(news));
      return { inputs: hiddenAgain(inputs, urn), failures };
    },
    diff: (id: string, olds: Properties, news: Properties) =>
      resource.diff(readCarriedUrn(news), id, withoutHidden(olds), withoutHidden(news)),
    create: (inputs: Properties) => {
      const urn = readCarriedUrn(inputs);
      return recording(urn, async () => {
        const { id, state } = await resource.create(urn, withoutHidden(inputs));
        return { id, outs: hiddenAgain(state, urn) };
      });
    },
    async read(id: string, props: Properties = {}) {
      const urn = readCarriedUrn(props);
      const inputs = props["__import"] === true ? undefined : {};
      const found = await resource.read(urn, id, withoutHidden(props), inputs);
      return { id: found.id, props: hiddenAgain(found.state, urn), inputs: hiddenAgain(found.inputs, urn) };
    },
    update: (id: string, olds: Properties, news: Properties) => {
      const urn = readCarriedUrn(news);
      return recording(urn, async () => ({
        outs: hiddenAgain(await resource.update(urn, id, withoutHidden(olds), withoutHidden(news)), urn),
      }));
    },
    delete: (id: string, props: Properties) =>
      resource.delete(readCarriedUrn(props), id, withoutHidden(props)),
  };
}

/** Returns the inputs with secret marks on those that `__secrets` lists. */
function withMarks(news: Properties): Properties {
  const names = Object(news["__secrets"] ?? []) as readonly string[];
  const marked = Object.fromEntries(names.map((name) => [name, secret(news[name])]));
  return { ...withoutHidden(news), ...marked };
}
