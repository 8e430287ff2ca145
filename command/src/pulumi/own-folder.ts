import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRegularFile } from "pulumi-page-guard/tools";
import { ofStack } from "../read-text";
import { unconfirmed } from "./command-line";

/** A temporary folder for this user alone, until `close`. What `pulumi` starts runs as the same user. */
export class OwnFolder {
  readonly #path = mkdtempSync(join(tmpdir(), "page-guard-"));

  at(name: string): string {
    return join(this.#path, name);
  }

  /** Writes a new file for this user alone, and returns its path. */
  write(name: string, text: string): string {
    writeFileSync(this.at(name), text, { mode: 0o600, flag: "wx" });
    return this.at(name);
  }

  /** Of a file that a run of `pulumi` may have written. The program can write it, too, so a pipe is never waited for. */
  lines(name: string): readonly string[] {
    try {
      return readRegularFile(this.at(name), ofStack)
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "");
    } catch {
      return [];
    }
  }

  close(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

const findings = "findings.jsonl";

/** Files that a preview writes for us, until `close`: findings, and the engine's plan. */
export class Notes {
  readonly #folder = new OwnFolder();

  constructor() {
    this.#folder.write(findings, "");
  }

  /** For the preview. */
  get env(): NodeJS.ProcessEnv {
    return {
      ...unconfirmed,
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
      PAGE_GUARD_FINDINGS: this.#folder.at(findings),
    };
  }

  /** For `--save-plan`. */
  get planFile(): string {
    return this.#folder.at("plan.json");
  }

  findingLines(): readonly string[] {
    return this.#folder.lines(findings);
  }

  close(): void {
    this.#folder.close();
  }
}
