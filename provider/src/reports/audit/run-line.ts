import { z } from "zod";

/** One line of JSON that a scheduled job appends to a file under `--runs DIR`. */
export const runSchema = z.object({
  when: z.iso.datetime({ offset: true }).describe("When the run ended."),
  what: z.string().min(1).max(200).describe("The check that ran: `page-guard inventory check`."),
  exit: z
    .int()
    .min(0)
    .max(255)
    .describe("Its exit code: 0 nothing found, 2 something found; any other: it could not check everything."),
  counts: z.record(z.string().max(100), z.number()).optional().describe("What it counted, by name."),
  digest: z.string().max(200).optional().describe("SHA-256 of the data that it read or wrote."),
  link: z.string().max(2000).optional().describe("The page of the run."),
  alert: z
    .object({
      reference: z
        .string()
        .min(1)
        .max(2000)
        .describe("The issue or message that alerted people. A later line with the same one adds to it."),
      closedBy: z.string().max(200).optional(),
      closedOn: z.string().max(40).optional(),
      note: z.string().max(2000).optional(),
    })
    .optional(),
});

export type RunLine = z.output<typeof runSchema>;
