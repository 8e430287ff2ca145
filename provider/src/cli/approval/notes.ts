import { z } from "zod";
import type { ApprovedContent } from "../../lifecycle/approval/approved-file";
import { type DigestKey, digestKey, digestKeyVariable } from "../../lifecycle/approval/keyed-digest";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { unconfirmed } from "../pulumi/command-line";
import { OwnFolder } from "./own-folder";

const digestSchema = z.strictObject({ urn: z.string(), property: z.string(), digest: z.string() });

const digests = "digests.jsonl";
const findings = "findings.jsonl";

/** Files that a preview writes for us, until `close`: digests of secret inputs, findings, and the engine's plan. */
export class Notes {
  readonly digestKey: DigestKey;
  readonly #folder = new OwnFolder();

  /** `key`: PAGE_GUARD_APPROVAL_KEY, which never leaves this process. */
  constructor(salt: string, key: string | undefined) {
    this.digestKey = digestKey(salt, key);
    this.#folder.write(digests, `${JSON.stringify({ salt })}\n`);
    this.#folder.write(findings, "");
  }

  /** For the preview. */
  get env(): NodeJS.ProcessEnv {
    return {
      ...unconfirmed,
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
      PAGE_GUARD_FINDINGS: this.#folder.at(findings),
      PAGE_GUARD_APPROVAL_DIGESTS: this.#folder.at(digests),
      [digestKeyVariable]: this.digestKey.key,
      PAGE_GUARD_APPROVED: undefined,
      PAGE_GUARD_APPROVED_SHA256: undefined,
    };
  }

  /** For `--save-plan`. */
  get planFile(): string {
    return this.#folder.at("plan.json");
  }

  findingLines(): readonly string[] {
    return this.#folder.lines(findings);
  }

  /** Each secret input once: `check` runs twice for a replacement. */
  secrets(): ApprovedContent["secrets"] {
    const [, ...lines] = this.#folder.lines(digests);
    const found = lines.map(digestIn);
    const last = new Map(found.map((secret) => [`${secret.urn}#${secret.property}`, secret]));
    return [...last].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, secret]) => secret);
  }

  close(): void {
    this.#folder.close();
  }
}

function digestIn(line: string): z.output<typeof digestSchema> {
  const { data } = digestSchema.safeParse(jsonOf(line));
  if (data) return data;
  throw new CommandError(
    "Failed to read the digests of secret inputs: something else than the provider process wrote to their file. The program can; find out whether it did.",
  );
}
