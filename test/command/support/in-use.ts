import assert from "node:assert/strict";
import type { SeenItem } from "../../../csp/src";
import type { PageGuardClient } from "../../../provider/src/api/create-client";
import { createRun } from "../../../provider/src/lifecycle/run";
import { changeFindings } from "../../../provider/src/resources/csp-policy/impact";
import { connection, script } from "../../csp/items";

export const scripts = (...items: Parameters<typeof script>[0][]): SeenItem[] =>
  items.map((fields) => ({ kind: "script", item: script(fields) }));

export const connections = (...items: Parameters<typeof connection>[0][]): SeenItem[] =>
  items.map((fields) => ({ kind: "connection", item: connection(fields) }));

/** Returns the finding of the provider about a policy with these items in use: the message and its data. */
async function findImpact(code: string, value: string, items: readonly SeenItem[]) {
  const listAll = async (list: string) =>
    items.flatMap(({ kind, item }) => (list === `${kind}s` ? [item] : []));
  const client = { listAll } as unknown as PageGuardClient;
  const run = { ...createRun({ env: {} }), client: () => client };
  const policy = { action: "allow", expression: "true", value };
  const all = await changeFindings(run, { zoneId: "0" }, [{ policy, fields: ["value"] }], undefined);
  const { message, data = {} } = all.find((one) => one.code === code) ?? assert.fail(`no ${code}`);
  return { code, text: message, data };
}

export const blocking = (value: string, items: readonly SeenItem[]) =>
  findImpact("csp-blocks-in-use", value, items);

export const lettingIn = (value: string, items: readonly SeenItem[]) =>
  findImpact("csp-lets-malicious-in", value, items);
