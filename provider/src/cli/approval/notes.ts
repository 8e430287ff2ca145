import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { ApprovedContent } from "../../lifecycle/approval/approved-file";

const digestSchema = z.strictObject({ urn: z.string(), property: z.string(), digest: z.string() });

/** Files that a preview writes for us: digests of secret inputs, and findings. In a folder of our own, until `close`. */
export class Notes {
  readonly #folder = mkdtempSync(join(tmpdir(), "page-guard-"));
  readonly #digests = join(this.#folder, "digests.jsonl");
  readonly #findings = join(this.#folder, "findings.jsonl");

  constructor(readonly salt: string) {
    writeFileSync(this.#digests, `${JSON.stringify({ salt })}\n`);
    writeFileSync(this.#findings, "");
  }

  /** For the preview. */
  get env(): NodeJS.ProcessEnv {
    return {
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
      PAGE_GUARD_FINDINGS: this.#findings,
      PAGE_GUARD_APPROVAL_DIGESTS: this.#digests,
    };
  }

  findingLines(): readonly string[] {
    return linesOf(this.#findings);
  }

  /** Each secret input once: of what is replaced it is asked twice. */
  secrets(): ApprovedContent["secrets"] {
    const [, ...lines] = linesOf(this.#digests);
    const found = lines.map((line) => digestSchema.parse(JSON.parse(line)));
    const last = new Map(found.map((secret) => [`${secret.urn}#${secret.property}`, secret]));
    return [...last].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, secret]) => secret);
  }

  /** Writes a file beside them, and gives its path. */
  write(name: string, text: string): string {
    const file = join(this.#folder, name);
    writeFileSync(file, text);
    return file;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The program of the preview can write these files too, or put something else there: that is not waited for. */
function linesOf(file: string): readonly string[] {
  let opened: number | undefined;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(opened);
    if (!found.isFile() || found.size > mostBytes) return [];
    return readFileSync(opened, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

const mostBytes = 64 * 1024 * 1024;
