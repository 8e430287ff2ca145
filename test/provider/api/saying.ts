import type { z } from "zod";
import type { ResolvedConnection } from "../../../provider/src/api/client-types";
import type { ApiRequest } from "../../../provider/src/api/http/attempt";
import type { Send } from "../../../provider/src/api/http/send-request";
import type { ResultInfo } from "../../../provider/src/api/wire/envelope";
import { parseResult } from "../../../provider/src/api/wire/requests";
import type { ApiErrorFacts } from "../../../provider/src/errors/api-error";
import { TOKEN, ZONE } from "./scripted-server";

export const facts: ApiErrorFacts = { operation: "read", zoneId: ZONE, outcome: "refused" };
export const connection: ResolvedConnection = {
  baseUrl: "https://api.example/v4",
  token: TOKEN,
  service: "page_guard",
};

/** Returns the parsed result of a response. */
export function read<T>(schema: z.ZodType<T>, result: unknown): T {
  return parseResult(schema, { result, facts }, "token");
}

/** Returns a service that gives these answers in turn, and the last one for every further request. */
export function saying(...answers: readonly (Error | { result: unknown; info?: ResultInfo })[]) {
  const asked: ApiRequest[] = [];
  const send: Send = async (request) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(request);
    if (answer === undefined || answer instanceof Error) throw answer;
    return { result: answer.result, info: answer.info, facts };
  };
  return { asked, send };
}
