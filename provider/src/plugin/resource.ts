import type { ServedResource } from "../declaration/internals/provider-server";
import { dynamicProvider } from "../lifecycle/dynamic-provider";
import { withoutHidden, withUrn } from "../lifecycle/hidden-inputs";
import type { Kind } from "../lifecycle/kind";
import { PartialFailureError } from "../lifecycle/partial-failure-error";
import type { Run } from "../lifecycle/run";
import type { Properties } from "../model/properties";
import { givenValues, holdsSecret, markedLike, plainValues, secret } from "./wire";

/** Adapts a kind's lifecycle to the calls of a plugin, in which secrets carry marks and the URN is an argument, not an input. */
export function servedResource(load: () => Kind<unknown, object>, run: Run): ServedResource {
  const provider = dynamicProvider(load, run);
  function recorded(state: Properties, like: Properties): Properties {
    const marked = markedLike(withoutHidden(state), like);
    const repeated = Object.entries(load().outputs)
      .filter(
        ([output, inputs]) => marked[output] !== undefined && inputs.some((name) => holdsSecret(like[name])),
      )
      .map(([output]) => [output, secret(state[output])]);
    return { ...marked, ...Object.fromEntries(repeated) };
  }

  async function recording<T>(like: Properties, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PartialFailureError) error.properties = recorded(error.properties, like);
      throw error;
    }
  }

  return {
    async check(urn: string, olds: Properties, news: Properties) {
      const secrets = Object.keys(news).filter((name) => holdsSecret(news[name]));
      const checked = await provider.check(
        plainValues(olds),
        withUrn({ ...givenValues(news), __secrets: secrets }, urn),
      );
      const inputs: Properties = checked.inputs;
      return { inputs: markedLike(withoutHidden(inputs), news), failures: checked.failures ?? [] };
    },

    diff: (urn: string, id: string, olds: Properties, news: Properties) =>
      provider.diff(id, withUrn(plainValues(olds), urn), withUrn(plainValues(news), urn)),

    create: (urn: string, inputs: Properties) =>
      recording(inputs, async () => {
        const { id, outs } = await provider.create(withUrn(plainValues(inputs), urn));
        return { id, state: recorded(outs, inputs) };
      }),

    async read(urn: string, id: string, state: Properties, inputs: Properties | undefined) {
      const before = { ...plainValues(state), ...(inputs === undefined && { __import: true }) };
      const found = await provider.read(id, withUrn(before, urn));
      return {
        id: found.id ?? "",
        state: recorded(found.props, state),
        inputs: markedLike(withoutHidden(found.inputs ?? {}), inputs ?? {}),
      };
    },

    update: (urn: string, id: string, olds: Properties, news: Properties) =>
      recording(news, async () => {
        const { outs } = await provider.update(
          id,
          withUrn(plainValues(olds), urn),
          withUrn(plainValues(news), urn),
        );
        return recorded(outs, news);
      }),

    delete: (urn: string, id: string, state: Properties) =>
      provider.delete(id, withUrn(plainValues(state), urn)),
  };
}
