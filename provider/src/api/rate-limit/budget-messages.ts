import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";
import { jsonOf } from "../../text/json-of";

/** One line of JSON each; `id` is the asking process's own number of a request. */
const quota = z.strictObject({ limit: z.number(), windowMs: z.number() });
const rate = z.strictObject({
  limit: z.number().optional(),
  windowMs: z.number().optional(),
  remaining: z.number().optional(),
  resetMs: z.number().optional(),
  isResetDate: z.boolean().optional(),
  quotas: z.array(quota).readonly().optional(),
  retryAfterMs: z.number().optional(),
  isRefusal: z.boolean().optional(),
});

/** To the budget. */
export const askSchema = z.union([
  /** A permit, of the budget of one token of one service. */
  z.strictObject({
    ask: z.number(),
    budget: z.string().max(100),
    isAgain: z.boolean(),
    /** Infinity is null in JSON. */
    patienceMs: z.number().nullish(),
  }),
  /** The request has ended, with what its answer says about the limit. */
  z.strictObject({ end: z.number(), rate: rate.optional() }),
  /** Nobody waits for this permit any more. */
  z.strictObject({ drop: z.number() }),
]);

/** From the budget. */
export const replySchema = z.union([
  z.strictObject({ id: z.number(), reply: z.literal("granted") }),
  z.strictObject({
    id: z.number(),
    reply: z.literal("denied"),
    denied: z.enum(["aborted", "too-long", "no-budget"]),
    retryAfterMs: z.number().optional(),
  }),
  z.strictObject({
    id: z.number(),
    reply: z.literal("wait"),
    remainingMs: z.number(),
    waitedMs: z.number(),
    reason: z.enum(["blocked", "used-up", "shared"]),
    quota: quota.optional(),
  }),
]);

export type Ask = z.input<typeof askSchema>;
export type Reply = z.input<typeof replySchema>;

/** Calls back for each message; `onFault` for a line that is none. */
export function readMessages<T>(
  input: Readable,
  schema: z.ZodType<T>,
  onMessage: (message: T) => void,
  onFault: () => void,
): void {
  const lines = createInterface({ input, crlfDelay: Infinity }).on("line", (line) => {
    const message = schema.safeParse(jsonOf(line));
    if (message.success) onMessage(message.data);
    else onFault();
  });
  // It repeats errors of its input, which has a listener of its own.
  lines.on("error", () => undefined);
}
