import { z } from "zod";
import { jsonOf } from "../../text/json-of";
import { readRegularFile } from "../../text/regular-file";
import { shown } from "../../text/shown";
import { messageOf } from "../coded-error";
import { fileDigest, sealOf } from "./keyed-digest";
import { zoneParts } from "./zone-contents";

/** The version that this code writes and reads. Another one is refused: half an approval is none. */
const version = 2;

const fields = z.record(z.string(), z.unknown());

const stepSchema = z.strictObject({
  urn: z.string(),
  type: z.string(),
  op: z.string(),
  /** Of the object that is there; unknown for new ones. */
  id: z.string().optional(),
  /** Changed paths and how. */
  differences: z.record(z.string(), z.string()),
  /** Secret values are "[secret]", unknown ones "[not known yet]": for people. What is compared goes by the lists below. */
  before: fields.optional(),
  after: fields.optional(),
  /** Paths of what was not known in `after`. */
  unknown: z.array(z.array(z.string())),
  /** Inputs of `after` that are or hold something secret. */
  secret: z.array(z.string()),
  /** Outputs in the state of what is updated or deleted, without the `hidden` ones, which hold something secret. */
  recorded: fields.optional(),
  hidden: z.array(z.string()),
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
  /** or only as a digest, because it may hold something secret. */
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
  /** Objects of zones, by zone and id, that resources of the stack have and keep. */
  kept: z.array(z.string()),
  /** The engine's own plan, as it has written it: secrets are encrypted with the stack's key. */
  plan: z.string(),
  /** Allowed by name: a change in a zone that could not be checked, */
  allowsUnknownZones: z.boolean().optional(),
  /** and inputs that could not be seen. */
  allowsUnknownInputs: z.boolean().optional(),
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
 * What an approved file holds, and the digest of its bytes. Its seal is checked, unless someone who has checked it handed on
 * the digest as `sha256`.
 *
 * @throws Error, in a sentence, for a file that cannot be read, is not one, or is not as it was written.
 */
export function readApproved(
  file: string,
  { sha256, key }: { readonly sha256?: string | undefined; readonly key?: string | undefined },
): { readonly content: ApprovedContent; readonly sha256: string } {
  const where = `The approved file ${shown(file)}`;
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file, mostBytes);
  } catch (error) {
    throw unreadable(where, shown(messageOf(error), { max: 300 }));
  }
  const digest = fileDigest(bytes);
  if (sha256 !== undefined && sha256 !== digest) {
    throw new Error(
      `${where} has changed since \`page-guard apply\` read it: something that runs with the update has written to it. Find out what before you approve again.`,
    );
  }
  const { seal, ...content } = contentOf(bytes, where);
  if (sha256 === undefined && seal !== sealOf(content, key))
    throw new Error(`${where} ${wrongSeal(seal, key)}`);
  return { content, sha256: digest };
}

/** A plan of thousands of resources is in it. */
const mostBytes = 64_000_000;

function contentOf(bytes: Buffer, where: string): z.output<typeof fileSchema> {
  const found = jsonOf(bytes.toString("utf8"));
  if (found === undefined) throw unreadable(where, "it is not JSON");
  const parsed = fileSchema.safeParse(found);
  if (parsed.success) return parsed.data;
  const other = z.looseObject({ version: z.number() }).safeParse(found);
  if (other.success && other.data.version !== version) {
    throw new Error(
      `${where} was written by another version of pulumi-page-guard (form ${other.data.version}, this one knows ${version}). Review and approve again with the version that applies.`,
    );
  }
  const place = parsed.error.issues[0]?.path.map(String).join(".") || "the whole";
  throw new Error(
    `${where} is not a valid approval file: ${shown(place)} is not as \`page-guard review --approve\` writes it.`,
  );
}

function unreadable(where: string, why: string): Error {
  return new Error(`${where} cannot be read: ${why}. Nothing can be held against it.`);
}

function wrongSeal(seal: string, key: string | undefined): string {
  const isKeyed = seal.startsWith("hmac-");
  if (isKeyed && key === undefined) {
    return "was sealed with a key. Set PAGE_GUARD_APPROVAL_KEY to the one that the review had.";
  }
  if (!isKeyed && key !== undefined) {
    return "was sealed without the key that PAGE_GUARD_APPROVAL_KEY holds here. Set the same key in the review job, and approve again.";
  }
  return `is not as it was written: it was cut, edited${isKeyed ? ", or sealed with another key" : ""}. Review and approve again.`;
}
