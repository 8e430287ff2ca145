import type * as z from "zod";
import { ItemGoneError, isObjectGone } from "../../errors/api-error";
import type {
  ListKinds,
  ListQuery,
  Policy,
  PolicyBody,
  ReadOptions,
  ResolvedConnection,
  SettingsChange,
} from "../client-types";
import type { Send } from "../http/send-request";
import { isWhole, iterateItems, listAllItems, type ReadPage } from "../paging/list-items";
import {
  connectionSchema,
  cookieSchema,
  policyListSchema,
  policySchema,
  scriptSchema,
  settingsSchema,
} from "./page-guard-schema";
import { encodePathId, makeReads, parseResult, readBack } from "./requests";
import { compact, lenientList } from "./schema-parts";

const itemSchemas: { readonly [K in keyof ListKinds]: z.ZodType<ListKinds[K]> } = {
  scripts: scriptSchema,
  connections: connectionSchema,
  cookies: cookieSchema,
};

const changeable = ["enabled", "useVendorReportingEndpoint", "useConnectionUrlPath"] as const;

/** Returns the operations that the Page Guard API document describes. */
export function pageGuardOperations(send: Send, { service, token }: ResolvedConnection) {
  const root = (zoneId: string) => `zones/${encodePathId(zoneId, "zoneId")}/${service}`;
  const policyPath = (zoneId: string, policyId: string) =>
    `${root(zoneId)}/policies/${encodePathId(policyId, "policyId")}`;
  const { get, read } = makeReads(send, token);
  const reportingField =
    service === "page_guard" ? "use_vendor_reporting_endpoint" : "use_cloudflare_reporting_endpoint";

  const getSettings = async (zoneId: string) =>
    read(settingsSchema, "get the settings", zoneId, root(zoneId));
  const getPolicy = async (zoneId: string, policyId: string) =>
    read(policySchema, "get a policy", zoneId, policyPath(zoneId, policyId));

  /** Returns the body of a policy. In the API document, `enabled` is a string; in the public service, it is a boolean. */
  function policyBody({ description, action, expression, enabled, value }: PolicyBody) {
    const flag = service === "page_guard" ? String(enabled) : enabled;
    return { description, action, expression, enabled: flag, value };
  }

  function pageReader<K extends keyof ListKinds>(
    kind: K,
    zoneId: string,
    query: ListQuery,
  ): ReadPage<ListKinds[K]> {
    const schema = lenientList(itemSchemas[kind]);
    return async (page, perPage) => {
      const path = `${root(zoneId)}/${kind}?${listQuery(query, page, perPage)}`;
      const answer = await get(`list the ${kind}, page ${page}`, zoneId, path);
      return { items: parseResult(schema, answer, token), info: answer.info };
    };
  }

  return {
    getSettings,

    /** Sends a PUT with only the given fields. Reads the settings back with a GET if the response omits one of the fields. */
    async updateSettings(zoneId: string, change: SettingsChange) {
      const body = compact({
        enabled: change.enabled,
        [reportingField]: change.useVendorReportingEndpoint,
        use_connection_url_path: change.useConnectionUrlPath,
      });
      const operation = "update the settings";
      const path = root(zoneId);
      const { result } = await send({ operation, zoneId, method: "PUT", path, body, repeat: "freely" });
      const echoed = settingsSchema.safeParse(result);
      // The documented response has only `enabled` and `updated_at`, so the other requested fields are read back.
      const complete = (field: keyof SettingsChange) =>
        change[field] === undefined || echoed.data?.[field] !== undefined;
      return echoed.success && changeable.every(complete) ? echoed.data : readBack(() => getSettings(zoneId));
    },

    async listPolicies(zoneId: string): Promise<readonly Policy[]> {
      const path = `${root(zoneId)}/policies`;
      const answer = await get("list the policies", zoneId, path);
      const listed = parseResult(policyListSchema, answer, token);
      if (isWhole(listed, answer.info)) return listed;
      // No API document says that one response has all policies. If a policy were missing, the provider would create it again.
      const all = await listAllItems(async (page, perPage) => {
        const query = `page=${page}&per_page=${perPage}`;
        const one = await get(`list the policies, page ${page}`, zoneId, `${path}?${query}`);
        const policies = parseResult(policyListSchema, one, token);
        return { items: policies.map((policy) => ({ id: policy.policyId, policy })), info: one.info };
      });
      return all.map(({ policy }) => policy);
    },

    getPolicy,

    /**
     * Creates a policy. Retries only after a 429. If the `outcome` is unknown, the policy may already exist, so a retry could
     * create it twice.
     */
    async createPolicy(zoneId: string, policy: PolicyBody) {
      const [operation, path, body] = ["create a policy", `${root(zoneId)}/policies`, policyBody(policy)];
      const answer = await send({ operation, zoneId, method: "POST", path, body, repeat: "refused-429" });
      return parseResult(policySchema, answer, token);
    },

    async updatePolicy(zoneId: string, policyId: string, policy: PolicyBody) {
      const [operation, path, body] = ["update a policy", policyPath(zoneId, policyId), policyBody(policy)];
      const { result } = await send({ operation, zoneId, method: "PUT", path, body, repeat: "freely" });
      const echoed = policySchema.safeParse(result);
      // The API document does not describe the response. If the response is not the policy, the policy is read back.
      return echoed.success ? echoed.data : readBack(() => getPolicy(zoneId, policyId));
    },

    /** Deletes a policy. Resolves even if the policy does not exist. */
    async deletePolicy(zoneId: string, policyId: string) {
      const path = policyPath(zoneId, policyId);
      try {
        await send({ operation: "delete a policy", zoneId, method: "DELETE", path, repeat: "freely" });
      } catch (error) {
        if (!isObjectGone(error)) throw error;
      }
    },

    /** Yields the items of all result pages one by one, and keeps only the ids of the items in memory. */
    iterate<K extends keyof ListKinds>(
      kind: K,
      zoneId: string,
      query: ListQuery = {},
      options: ReadOptions = {},
    ) {
      return iterateItems(pageReader(kind, zoneId, query), options);
    },

    /** Returns every item once. Reads the first page, then the rest in parallel. Calls `onWarning` if the list keeps changing. */
    listAll<K extends keyof ListKinds>(
      kind: K,
      zoneId: string,
      query: ListQuery = {},
      options: ReadOptions = {},
    ): Promise<readonly ListKinds[K][]> {
      return listAllItems(pageReader(kind, zoneId, query), options);
    },

    async getItem<K extends keyof ListKinds>(kind: K, zoneId: string, itemId: string) {
      const word = kind.slice(0, -1);
      const path = `${root(zoneId)}/${kind}/${encodePathId(itemId, "id")}`;
      try {
        return await read(itemSchemas[kind], `get a ${word}`, zoneId, path);
      } catch (error) {
        if (!isObjectGone(error)) throw error;
        throw new ItemGoneError({ ...error.facts, outcome: error.outcome }, word, itemId);
      }
    },
  };
}

/** All statuses in the public schemas. Without this filter the service returns only active items. */
const everyStatus = "active,infrequent,inactive";

/** Returns the query string for one page of a list, with the service's parameter names. */
function listQuery(query: ListQuery, page: number, perPage: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const text = name === "status" && value === "all" ? everyStatus : String(value);
    const parameter = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (text !== "") parameters.set(parameter, text);
  }
  parameters.set("page", String(page));
  parameters.set("per_page", String(perPage));
  return parameters.toString();
}
