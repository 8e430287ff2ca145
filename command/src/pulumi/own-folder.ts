import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mostStackBytes, readRegularFile } from "../shared/read-text";

/** A temporary folder that only processes of this user can read, such as those that `pulumi` starts. `close` deletes it. */
export class OwnFolder {
  readonly #path = mkdtempSync(join(tmpdir(), "page-guard-"));

  at(name: string): string {
    return join(this.#path, name);
  }

  /** Writes a new file that only this user can read, and returns its path. */
  write(name: string, text: string): string {
    writeFileSync(this.at(name), text, { mode: 0o600, flag: "wx" });
    return this.at(name);
  }

  /** Returns the lines of a file that `pulumi` may have written. Does not hang, even if the file has become a pipe. */
  lines(name: string): readonly string[] {
    try {
      const text = readRegularFile(this.at(name), mostStackBytes).toString("utf8");
      return text.split("\n").filter((line) => line !== "");
    } catch {
      return [];
    }
  }

  close(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** Variables that confirm an update. A preview must not inherit them. */
export const unsetInPreview: NodeJS.ProcessEnv = {
  PULUMI_SKIP_CONFIRMATIONS: undefined,
  PULUMI_OPTION_YES: undefined,
  PULUMI_OPTION_SKIP_PREVIEW: undefined,
};

/** A folder for the files that a preview writes for us: its findings and the plan of the engine. */
export class Notes extends OwnFolder {
  readonly #findings = this.write("findings.jsonl", "");
  /** Path for `--save-plan`. */
  readonly planFile = this.at("plan.json");
  readonly env: NodeJS.ProcessEnv = {
    ...unsetInPreview,
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    PAGE_GUARD_FINDINGS: this.#findings,
  };
}
