import type * as z from "zod";
import { ApiError, isApiError, isObjectGone } from "../../errors/api-error";
import type {
  ActionParameters,
  EntrypointBody,
  Extra,
  ResolvedConnection,
  Rule,
  UriOverride,
} from "../client-types";
import type { ApiRequest } from "../http/attempt";
import type { Send } from "../http/send-request";
import { listAllItems, type ReadPage } from "../paging/list-items";
import { encodePathId, makeReads, parseResult, readBack } from "./requests";
import { compact } from "./schema-parts";
import {
  compatibilitySchema,
  entrypointSchema,
  uriOverrideListSchema,
  wafConfigurationSchema,
  wafStatusSchema,
} from "./waf-schema";

/** Code of "could not find entrypoint ruleset": the entry point was never configured. The read itself has not failed. */
const neverConfigured = 10003;
const overridesAPage = 50;

type BeforeSend = ApiRequest["beforeSend"];

/** API calls for the WAF migration, according to its API document, and for the entry point, according to the public schemas. */
export function wafOperations(send: Send, { token }: ResolvedConnection) {
  const zone = (zoneId: string) => `zones/${encodePathId(zoneId, "zoneId")}`;
  const entrypoint = (zoneId: string) =>
    `${zone(zoneId)}/rulesets/phases/http_request_firewall_managed/entrypoint`;
  const migration = (zoneId: string, what: string) => `${zone(zoneId)}/waf_migration/${what}`;
  const { get, read } = makeReads(send, token);
  const readEntrypoint = async (zoneId: string) =>
    read(entrypointSchema, "get the WAF entry point", zoneId, entrypoint(zoneId));
  const about = <T>(schema: z.ZodType<T>, operation: string, what: string) => {
    return async (zoneId: string) => read(schema, operation, zoneId, migration(zoneId, what));
  };

  return {
    /** Returns the entry point; undefined if it was never configured (code 10003, or a 404 that is not about the zone). */
    async getEntrypoint(zoneId: string) {
      try {
        return await readEntrypoint(zoneId);
      } catch (error) {
        if (isNeverConfigured(error)) return undefined;
        throw error;
      }
    },

    /** Replaces the whole list of rules. `beforeSend`: see `ApiRequest`. */
    async putEntrypoint(zoneId: string, list: EntrypointBody, beforeSend?: BeforeSend) {
      const path = entrypoint(zoneId);
      const operation = "update the WAF entry point";
      const body = entrypointBody(list);
      // The PUT is not sent again: a second PUT with the same list could delete a rule that was added in between. The caller
      // reads the list and decides again.
      const answer = await send({
        operation,
        zoneId,
        method: "PUT",
        path,
        body,
        repeat: "never",
        beforeSend,
      });
      const echoed = entrypointSchema.safeParse(answer.result);
      // The API document does not say what the response contains. If the response is not the whole list, we read the list back.
      if (echoed.success && echoed.data.rules.length === list.rules.length) return echoed.data;
      return readBack(() => readEntrypoint(zoneId));
    },

    getCompatibility: about(compatibilitySchema, "check the WAF compatibility", "check?phase_two=1"),
    getWafConfiguration: about(wafConfigurationSchema, "get the new WAF configuration", "config?phase_two=1"),
    getWafStatus: about(wafStatusSchema, "get the WAF status", "status"),

    /** Returns all URI-based overrides of the previous WAF. Empty if the service does not show them. */
    async listUriOverrides(zoneId: string): Promise<readonly UriOverride[]> {
      const readPage: ReadPage<UriOverride> = async (page, perPage) => {
        const path = `${zone(zoneId)}/firewall/waf/overrides?page=${page}&per_page=${perPage}`;
        try {
          const answer = await get("list the WAF overrides", zoneId, path);
          return { items: parseResult(uriOverrideListSchema, answer, token), info: answer.info };
        } catch (error) {
          if (isNotShown(error)) return { items: [], info: undefined };
          throw error;
        }
      };
      return listAllItems(readPage, { perPage: overridesAPage });
    },

    /**
     * Sends the PUT that starts the validation or finishes the migration. This step cannot be undone, so no layer repeats it.
     * `beforeSend`: see `ApiRequest`.
     */
    async migrate(
      zoneId: string,
      mode: "validation" | "pending",
      configuration: EntrypointBody,
      beforeSend?: BeforeSend,
    ) {
      const answer = await send({
        operation: mode === "validation" ? "start the WAF validation" : "finish the WAF migration",
        zoneId,
        method: "PUT",
        path: `${entrypoint(zoneId)}?waf_migration=${mode}&phase_two=1`,
        body: entrypointBody(configuration),
        repeat: "never",
        beforeSend,
      });
      // The service has accepted the change. The API document does not say what the response contains, so a response without a
      // list is not a failure.
      return entrypointSchema.safeParse(answer.result).data;
    },
  };
}

function isNeverConfigured(error: unknown): boolean {
  const isRefused = isApiError(error, "PG_REFUSED") && error.facts.apiCode === neverConfigured;
  return isRefused || isObjectGone(error);
}

/**
 * Whether the service does not show the list of URI overrides. No API document names the path of this list, so a service can
 * refuse the request in several ways. The compatibility check, not this list, decides whether a zone can migrate.
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
 * Returns the body of an entry point update, with the field names of the API documents. Absent fields stay absent: an invented
 * value for `enabled` could switch rules off. Leaves out the `version` of the entry point, which the service sets.
 */
function entrypointBody({ name, description, rules }: EntrypointBody): Record<string, unknown> {
  return compact({ name, description, rules: rules.map(ruleBody) });
}

function ruleBody({ lastUpdated: _, actionParameters, ...rule }: Rule): object {
  return withExtra({ ...rule, action_parameters: actionParameters && parametersBody(actionParameters) });
}

function parametersBody({ overrides, ...parameters }: ActionParameters): object {
  const rules = overrides?.rules?.map(withExtra);
  return withExtra({ ...parameters, overrides: overrides && withExtra({ ...overrides, rules }) });
}

/** Adds the unknown fields, unchanged. A known field wins over a field of the same name in `extra`. */
function withExtra(given: object): object {
  const { extra, ...fields }: { readonly extra?: Extra } = given;
  return { ...extra, ...compact(fields) };
}
