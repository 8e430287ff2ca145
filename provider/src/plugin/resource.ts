import type { ServedResource } from "../declaration/internals/provider-server";
import { dynamicProvider } from "../lifecycle/dynamic-provider";
import { withoutHidden, withUrn } from "../lifecycle/hidden-inputs";
import type { Kind } from "../lifecycle/kind";
import { PartialFailureError } from "../lifecycle/partial-failure-error";
import type { Run } from "../lifecycle/run";
import { secret } from "../model/engine-marks";
import type { Properties } from "../model/properties";
import { holdsSecret, markLike, plainValues, readGivenValues } from "./wire";

/**
 * Adapts the lifecycle of a kind to the calls that a plugin receives. In these calls, a secret is an object with a mark, and the
 * URN is separate from the inputs.
 */
export function servedResource(load: () => Kind<unknown, object>, run: Run): ServedResource {
  const provider = dynamicProvider(load, run);
  /** Marks a value of a state as secret if it comes from an input that `like` marks as secret. */
  function markedState(state: Properties, like: Properties): Properties {
    const marked: Record<string, unknown> = markLike(withoutHidden(state), like);
    for (const [output, inputs] of Object.entries(load().outputs)) {
      const isSecret = inputs.some((name) => holdsSecret(like[name]));
      if (isSecret && marked[output] !== undefined) marked[output] = secret(state[output]);
    }
    return marked;
  }

  async function markingFailedState<T>(like: Properties, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PartialFailureError) error.properties = markedState(error.properties, like);
      throw error;
    }
  }

  return {
    async check(urn, olds, news) {
      const secrets = Object.keys(news).filter((name) => holdsSecret(news[name]));
      const declared = withUrn({ ...readGivenValues(news), __secrets: secrets }, urn);
      const { inputs, failures = [] } = await provider.check(plainValues(olds), declared);
      return { inputs: markLike(withoutHidden(inputs), news), failures };
    },

    diff: (urn, id, olds, news) => provider.diff(id, plain(olds, urn), plain(news, urn)),

    create: (urn, inputs) =>
      markingFailedState(inputs, async () => {
        const { id, outs } = await provider.create(plain(inputs, urn));
        return { id, state: markedState(outs, inputs) };
      }),

    async read(urn, id, state, inputs) {
      const before = { ...plainValues(state), ...(inputs === undefined && { __import: true }) };
      const found = await provider.read(id, withUrn(before, urn));
      return {
        id: found.id ?? "",
        state: markedState(found.props, state),
        inputs: markLike(withoutHidden(found.inputs ?? {}), inputs ?? {}),
      };
    },

    update: (urn, id, olds, news) =>
      markingFailedState(news, async () => {
        const { outs } = await provider.update(id, plain(olds, urn), plain(news, urn));
        return markedState(outs, news);
      }),

    delete: (urn, id, state) => provider.delete(id, plain(state, urn)),
  };
}

function plain(values: Properties, urn: string): Properties {
  return withUrn(plainValues(values), urn);
}
