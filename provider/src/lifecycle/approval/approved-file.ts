import { readFileSync } from "node:fs";
import { z } from "zod";
import { shown } from "../../text/shown";
import { sealOf } from "./keyed-digest";
import { zoneParts } from "./zone-contents";

/** The version that this code writes and reads. Another one is refused: half an approval is none. */
const version = 1;

const fields = z.record(z.string(), z.unknown());

const stepSchema = z.strictObject({
  urn: z.string(),
  type: z.string(),
  op: z.string(),
  /** Of the object that is there; of new ones nobody knows it. */
  id: z.string().optional(),
  /** Changed paths and how. */
  differences: z.record(z.string(), z.string()),
  /** Secret values are "[secret]", unknown ones "[not known yet]". */
  before: fields.optional(),
  after: fields.optional(),
});

const findingSchema = z.strictObject({
  urn: z.string(),
  severity: z.string(),
  /** Empty where the finding has none. */
  code: z.string(),
  text: z.string(),
  /** What would be blocked, where the finding is about that. */
  data: fields.optional(),
});

const objectSchema = z.strictObject({
  kind: z.enum(["settings", "policy", "entrypoint", "rule", "migration"]),
  id: z.string(),
  /** Open, */
  fields: fields.optional(),
  /** or only as a digest, because something secret may stand in it. */
  digest: z.string().optional(),
});

const zoneSchema = z.strictObject({
  zoneId: z.string(),
  parts: z.array(z.enum(zoneParts)),
  objects: z.array(objectSchema),
});

const contentSchema = z.strictObject({
  format: z.literal("pulumi-page-guard approval"),
  version: z.literal(version),
  /** ISO 8601. */
  madeAt: z.string(),
  project: z.string(),
  stack: z.string(),
  salt: z.string().regex(/^[0-9a-f]{32,}$/),
  steps: z.array(stepSchema),
  /** Secret inputs of this package's resources. */
  secrets: z.array(z.strictObject({ urn: z.string(), property: z.string(), digest: z.string() })),
  findings: z.array(findingSchema),
  zones: z.array(zoneSchema),
  /** Resources whose zone the preview could not know. */
  unknownZones: z.array(z.string()),
  /** A change in a zone that nobody could look at has been allowed by name. */
  allowsUnknownZones: z.boolean().optional(),
});

const fileSchema = contentSchema.extend({ seal: z.string() });

export type ApprovedContent = z.output<typeof contentSchema>;
export type ApprovedStep = z.output<typeof stepSchema>;
export type ApprovedFinding = z.output<typeof findingSchema>;
export type ApprovedObject = z.output<typeof objectSchema>;
export type ApprovedZone = z.output<typeof zoneSchema>;

export const approvedFormat = { format: "pulumi-page-guard approval", version } as const;

/** The text of an approved file. */
export function approvedText(content: ApprovedContent, key: string | undefined): string {
  return `${JSON.stringify({ ...content, seal: sealOf(content, key) }, undefined, 2)}\n`;
}

/**
 * What an approved file holds.
 *
 * @throws Error, in a sentence, for a file that cannot be read, is none, or is not as it was written.
 */
export function readApproved(file: string, key: string | undefined): ApprovedContent {
  const where = `The approved file ${shown(file)}`;
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is not JSON" : reasonOf(error);
    throw new Error(`${where} cannot be read: ${why}. Nothing can be held against it.`);
  }
  const parsed = fileSchema.safeParse(found);
  if (!parsed.success) {
    const other = z.looseObject({ version: z.number() }).safeParse(found);
    const isOther = other.success && other.data.version !== version;
    throw new Error(
      isOther
        ? `${where} was written by another version of pulumi-page-guard (form ${other.data.version}, this one knows ${version}). Review and approve again with the version that applies.`
        : `${where} is none: ${shown(parsed.error.issues[0]?.path.map(String).join(".") || "the whole")} is not as \`page-guard review --approve\` writes it.`,
    );
  }
  const { seal, ...content } = parsed.data;
  if (seal !== sealOf(content, key)) throw new Error(`${where} ${wrongSeal(seal, key)}`);
  return content;
}

function wrongSeal(seal: string, key: string | undefined): string {
  const isKeyed = seal.startsWith("hmac-");
  if (isKeyed && key === undefined) {
    return "was sealed with a key. Set PAGE_GUARD_APPROVAL_KEY to the one that the review had.";
  }
  if (!isKeyed && key !== undefined) {
    return "was sealed without the key that PAGE_GUARD_APPROVAL_KEY holds here. Set it where is reviewed too, and approve again.";
  }
  return `is not as it was written: it was cut, edited${isKeyed ? ", or sealed with another key" : ""}. Review and approve again.`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? shown(error.message, { max: 300 }) : "for a reason that nobody knows";
}
