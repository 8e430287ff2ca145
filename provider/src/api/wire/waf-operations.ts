import type { z } from "zod";
import { ApiError, isApiError, isObjectGone } from "../../errors/api-error";
import type {
  ActionParameters,
  EntrypointBody,
  Extra,
  ResolvedConnection,
  Rule,
  UriOverride,
  WafOperations,
} from "../client-types";
import type { Send } from "../http/send-request";
import { parseResult, pathId, readBack, readsOf } from "./requests";
import { compact } from "./schema-parts";
import {
  compatibilitySchema,
  entrypointSchema,
  uriOverrideListSchema,
  wafConfigurationSchema,
  wafStatusSchema,
} from "./waf-schema";

/** "could not find entrypoint ruleset": it was never configured, which is not a failure of a read. */
const neverConfigured = 10003;
const overridesAPage = 50;
/** Far beyond what a zone can have; this stops a service whose pages never end. */
const mostOverridePages = 200;

/** The operations of the WAF migration document, and the read of the entry point (public schemas). */
export function wafOperations(send: Send, { token }: ResolvedConnection): WafOperations {
  const zone = (zoneId: string) => `zones/${pathId(zoneId, "zoneId")}`;
  const entrypoint = (zoneId: string) =>
    `${zone(zoneId)}/rulesets/phases/http_request_firewall_managed/entrypoint`;
  const migration = (zoneId: string, what: string) => `${zone(zoneId)}/waf_migration/${what}`;
  const { get, read } = readsOf(send, token);
  const readEntrypoint = async (zoneId: string) =>
    read(entrypointSchema, "get the WAF entry point", zoneId, entrypoint(zoneId));
  const about = <T>(schema: z.ZodType<T>, operation: string, what: string) => {
    return async (zoneId: string) => read(schema, operation, zoneId, migration(zoneId, what));
  };

  return {
    async getEntrypoint(zoneId) {
      try {
        return await readEntrypoint(zoneId);
      } catch (error) {
        if (isNeverConfigured(error)) return undefined;
        throw error;
      }
    },

    async putEntrypoint(zoneId, list) {
      const path = entrypoint(zoneId);
      const operation = "update the WAF entry point";
      const body = entrypointBody(list);
      const answer = await send({ operation, zoneId, method: "PUT", path, body, repeat: "never" });
      // Not resent: a second PUT of the same list could delete a rule that was added in between. The caller
      // reads the list and decides again.
      const echoed = entrypointSchema.safeParse(answer.result);
      // The document does not show the answer: when it is not the whole list, the list is read back.
      if (echoed.success && echoed.data.rules.length === list.rules.length) return echoed.data;
      return readBack(() => readEntrypoint(zoneId));
    },

    getCompatibility: about(compatibilitySchema, "check the WAF compatibility", "check?phase_two=1"),
    getWafConfiguration: about(wafConfigurationSchema, "get the new WAF configuration", "config?phase_two=1"),
    getWafStatus: about(wafStatusSchema, "get the WAF status", "status"),

    async listUriOverrides(zoneId) {
      const found = new Map<string, UriOverride>();
      for (let page = 1; page <= mostOverridePages; page += 1) {
        const path = `${zone(zoneId)}/firewall/waf/overrides?page=${page}&per_page=${overridesAPage}`;
        const answer = await get("list the WAF overrides", zoneId, path).catch((error: unknown) => {
          if (isNotShown(error)) return undefined;
          throw error;
        });
        if (answer === undefined) break;
        const overrides = parseResult(uriOverrideListSchema, answer, token);
        for (const override of overrides) found.set(override.id, override);
        const { totalPages, perPage = overridesAPage } = answer.info ?? {};
        const last = totalPages === undefined ? overrides.length < perPage : page >= totalPages;
        if (last || overrides.length === 0) break;
      }
      return [...found.values()];
    },

    async migrate(zoneId, mode, configuration) {
      const answer = await send({
        operation: mode === "validation" ? "start the WAF validation" : "finish the WAF migration",
        zoneId,
        method: "PUT",
        path: `${entrypoint(zoneId)}?waf_migration=${mode}&phase_two=1`,
        body: entrypointBody(configuration),
        // Irreversible: sent at most once.
        repeat: "never",
      });
      // Accepted. The document does not show the answer, so one that is not a list is not a failure.
      return entrypointSchema.safeParse(answer.result).data;
    },
  };
}

function isNeverConfigured(error: unknown): boolean {
  const isRefused = isApiError(error, "PG_REFUSED") && error.facts.apiCode === neverConfigured;
  return isRefused || isObjectGone(error);
}

/**
 * No document names the path of this list: a service may not have this route, or no longer, or refuse it to this
 * token, and each answers differently. The check decides whether a zone may migrate, not this list.
 */
function isNotShown(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code === "PG_RATE_LIMITED") return false;
  const { httpStatus } = error.facts;
  return (
    httpStatus !== undefined &&
    ((httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408) || httpStatus === 501)
  );
}

/**
 * The body of an entry point update, as the documents spell it. What is absent stays absent: an `enabled` that is
 * invented here would switch rules off. The version is made by the service; only the migration sends it, as an empty string.
 */
export function entrypointBody({ name, description, rules }: EntrypointBody): Record<string, unknown> {
  return compact({ name, description, rules: rules.map(ruleBody) });
}

function ruleBody({ lastUpdated: _, actionParameters, ...rule }: Rule): object {
  return withExtra({ ...rule, action_parameters: actionParameters && parametersBody(actionParameters) });
}

function parametersBody({ overrides, ...parameters }: ActionParameters): object {
  const rules = overrides?.rules?.map(withExtra);
  return withExtra({ ...parameters, overrides: overrides && withExtra({ ...overrides, rules }) });
}

/** Unknown fields go back as they came; ours win over a field of that name. */
function withExtra(given: object): object {
  const { extra, ...fields }: { readonly extra?: Extra } = given;
  return { ...extra, ...compact(fields) };
}
