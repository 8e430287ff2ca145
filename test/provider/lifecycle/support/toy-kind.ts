import { z } from "zod";
import { dynamicProvider } from "../../../../provider/src/lifecycle/dynamic-provider";
import { type Kind, nothingToDo } from "../../../../provider/src/lifecycle/kind";
import { createRun } from "../../../../provider/src/lifecycle/run";
import type { Finding } from "../../../../provider/src/model/finding";
import type { Properties } from "../../small-engine/checkpoint";

export const urn = "urn:pulumi:dev::story::t::one";

/** Returns a kind with simple defaults, of which each test overrides parts. */
function toy(more: Partial<Kind<Properties, Properties>> = {}): Kind<Properties, Properties> {
  return {
    name: "Toy",
    shape: { zoneId: z.string(), size: z.number().optional(), connection: z.any() },
    replacedBy: ["zoneId"],
    onePerZone: false,
    parts: [],
    inZone: { object: "settings" },
    outputs: {},
    parseInputs: (inputs) => inputs,
    parseKnown: (inputs) => inputs,
    parseState: (state) => state,
    changedInputs: ({ state, values }) => ["zoneId", "size"].filter((name) => state[name] !== values[name]),
    plan: async () => nothingToDo,
    create: async ({ inputs }) => ({ id: "made", state: { ...inputs } }),
    read: async ({ id, state }) => ({ inputs: { zoneId: id }, state }),
    update: async ({ inputs }) => ({ ...inputs }),
    delete: async () => undefined,
    ...more,
  };
}

/** Returns the provider of a toy kind in its own run, with its messages and the connections that it requests. */
export function startToy(more: Partial<Kind<Properties, Properties>> = {}, env: NodeJS.ProcessEnv = {}) {
  const said: string[] = [];
  const asked: unknown[] = [];
  const run = {
    ...createRun({
      env: { PAGE_GUARD_API_TOKEN: "t", PAGE_GUARD_BASE_URL: "https://x.example/v4", ...env },
      log: async (...words) => void said.push(words.join(" ")),
    }),
  };
  const { client } = run;
  run.client = (connection) => {
    asked.push(connection);
    return client(connection);
  };
  // biome-ignore lint/suspicious/noExplicitAny: the SDK types the methods as any.
  const provider = dynamicProvider(() => toy(more), run) as any;
  const check = async (olds: Properties, news: Properties) => {
    const { inputs, failures } = await provider.check(olds, { __urn: urn, ...news });
    return { inputs, failures: failures.map(({ reason }: { reason: string }) => reason) };
  };
  return { provider, check, said, asked, run };
}

/** Returns a plan with these findings. */
export const planOf = (findings: readonly Finding[], needsUpdate = false) => ({ findings, needsUpdate });

export const finding = (severity: Finding["severity"], message: string): Finding => ({
  severity,
  code: "csp-lint-toy",
  property: "size",
  message,
});
