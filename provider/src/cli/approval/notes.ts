import { unconfirmed } from "../pulumi/command-line";
import { OwnFolder } from "./own-folder";

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
