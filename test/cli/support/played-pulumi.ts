import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Desk } from "./console";

/** A `pulumi` on the PATH that notes how it is called and says what it is told to. */
export class PlayedPulumi {
  readonly env: NodeJS.ProcessEnv;
  readonly #folder: string;

  constructor({ folder }: Desk) {
    this.#folder = join(folder, "bin");
    mkdirSync(this.#folder);
    this.env = {
      PATH: `${this.#folder}${delimiter}${process.env["PATH"]}`,
      // With the URL and the token of the desk the environment says all: the stack's config is not asked.
      PAGE_GUARD_SERVICE: "page_guard",
    };
    this.#write(
      "pulumi",
      `#!/bin/sh\necho "$* held to $PAGE_GUARD_APPROVED" >> '${this.#folder}/calls'\ncase "$1" in\npreview) . '${this.#folder}/preview' ;;\nup) . '${this.#folder}/up' ;;\nconfig) cat '${this.#folder}/config' ;;\nstack) cat '${this.#folder}/state' ;;\nesac\n`,
    );
    chmodSync(join(this.#folder, "pulumi"), 0o755);
    this.#write("calls", "");
    this.configures({});
    this.ups("exit 0");
  }

  previews(...events: readonly object[]): void {
    this.#plays([...events, { summaryEvent: { isPreview: true, result: "succeeded" } }], 0);
  }

  fails(code: number, message: string): void {
    this.#plays(
      [
        { diagnosticEvent: { message, severity: "error" } },
        { summaryEvent: { isPreview: true, result: "failed" } },
      ],
      code,
    );
  }

  configures(config: object): void {
    this.#write("config", JSON.stringify(config));
  }

  /** What `pulumi stack export` writes. */
  exports(state: string): void {
    this.#write("state", state);
  }

  /** A shell's lines. */
  ups(lines: string): void {
    this.#write("up", `${lines}\n`);
  }

  calls(): string[] {
    return readFileSync(join(this.#folder, "calls"), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  }

  #plays(events: readonly object[], code: number): void {
    const lines = events.map((event) => JSON.stringify(event)).join("\n");
    this.#write("preview", `cat <<'END'\n${lines}\nEND\nexit ${code}\n`);
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }
}

/** A step of a policy. */
export function eventOf(op: string, urn: string, inputs: object | undefined, id = ""): object {
  const type = `pulumi-nodejs:dynamic/page-guard:CspPolicy`;
  const side = { id, inputs, outputs: {} };
  return { resourcePreEvent: { metadata: { op, urn, type, old: op === "create" ? null : side, new: side } } };
}

export function warning(urn: string, message: string): object {
  return { diagnosticEvent: { urn, message, severity: "warning" } };
}
