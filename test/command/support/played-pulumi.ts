import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Desk } from "./console";

/** A simulated `pulumi` on the PATH that records its calls and gives scripted output. */
export class PlayedPulumi {
  readonly env: NodeJS.ProcessEnv;
  readonly #folder: string;

  constructor({ folder }: Pick<Desk, "folder">) {
    this.#folder = join(folder, "bin");
    mkdirSync(this.#folder);
    this.env = {
      PATH: `${this.#folder}${delimiter}${process.env["PATH"]}`,
      // With the URL and the token of the desk the environment says all: the stack's config is not asked.
      PAGE_GUARD_SERVICE: "page_guard",
    };
    this.#write("pulumi", script(this.#folder));
    chmodSync(join(this.#folder, "pulumi"), 0o755);
    this.#write("calls", "");
    this.#write("pages.js", pagesOfHistory);
    this.finds();
    this.plans({});
    this.configures({});
    this.ups("exit 0");
    this.digests();
  }

  /** Sets the events of previews. `@stack@` in them is replaced by the requested stack. */
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

  /** Sets the lines of the findings file. */
  finds(...findings: readonly object[]): void {
    this.#write("findings", findings.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  /** Sets the plan that a preview saves. */
  plans(resourcePlans: object): void {
    this.#write("plan", JSON.stringify({ manifest: {}, resourcePlans }));
  }

  /** Returns mode and text of the plan that the last update got. */
  givenPlan(): string {
    return readFileSync(join(this.#folder, "given"), "utf8");
  }

  /** Returns the environment of the last call. */
  lastEnv(): Readonly<Record<string, string>> {
    const lines = readFileSync(join(this.#folder, "env"), "utf8").split("\n");
    return Object.fromEntries(
      lines.map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]),
    );
  }

  /** Sets the output of a preview for the digest: text or steps. */
  digests(steps: readonly object[] | string = []): void {
    this.#write("digest", typeof steps === "string" ? steps : JSON.stringify({ steps }, undefined, 4));
  }

  configures(config: object): void {
    this.#write("config", JSON.stringify(config));
  }

  /** Sets the output of `pulumi stack history --json`, which is paged. */
  remembers(entries: readonly object[]): void {
    this.#write("history", JSON.stringify(entries));
  }

  /** Sets the output of `pulumi stack ls --json`. */
  lists(stacks: readonly object[]): void {
    this.#write("stacks", JSON.stringify(stacks));
  }

  /** Sets the output of `pulumi stack export`. `@stack@` in it is replaced by the requested stack. */
  exports(state: string): void {
    this.#write("state", state);
  }

  /** Sets the shell commands that an update runs. */
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
    this.#write("preview", `sed "s/@stack@/$stack/g" <<'END'\n${lines}\nEND\nexit ${code}\n`);
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }
}

function script(folder: string): string {
  return `#!/bin/sh
echo "$*" >> '${folder}/calls'
env > '${folder}/env'
for arg in "$@"; do
  if [ "$last" = --save-plan ]; then cp '${folder}/plan' "$arg"; fi
  if [ "$last" = --plan ]; then ls -l "$arg" > '${folder}/given'; cat "$arg" >> '${folder}/given'; fi
  if [ "$last" = --event-log ]; then log="$arg"; fi
  last="$arg"
  case "$arg" in --stack=*) stack=$(echo "$arg" | cut -c9-) ;; esac
done
case "$1" in
preview)
  case " $* " in *" --show-sames "*) cat '${folder}/digest'; exit ;; esac
  cat '${folder}/findings' >> "$PAGE_GUARD_FINDINGS"; . '${folder}/preview' ;;
up) . '${folder}/up' ;;
config) cat '${folder}/config' ;;
stack)
  if [ "$2" = ls ]; then cat '${folder}/stacks' 2>/dev/null || echo '[]'; exit; fi
  if [ "$2" != history ]; then sed "s/@stack@/$stack/g" '${folder}/state'; exit; fi
  '${process.execPath}' '${folder}/pages.js' '${folder}/history' "$@" ;;
esac
`;
}

/** Like the CLI, prints the last ten entries, unless a page is requested. */
const pagesOfHistory = `
const { readFileSync } = require("node:fs");
const history = JSON.parse(readFileSync(process.argv[2], "utf8"));
const given = (name, usual) => Number(process.argv.find((arg) => arg.startsWith(name))?.slice(name.length) ?? usual);
const [size, page] = [given("--page-size=", 10), given("--page=", 1)];
console.log(JSON.stringify(history.slice((page - 1) * size, page * size)));
`;
