import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeProgram } from "../../command/src/run";
import { documentedCommands, documents, namedCommands } from "../support/documented-commands";
import { sessionOf } from "./support/console";

const root = resolve(__dirname, "../..");

/** Parses a command line of `page-guard` without running it. Returns the reason for a refusal, otherwise undefined. */
function refusal(args: readonly string[]): string | undefined {
  const program = makeProgram(sessionOf({}), async () => undefined);
  for (const command of program.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one])))
    command.action(() => undefined);
  try {
    program.parse([...args], { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && "exitCode" in error)) throw error;
    return error.exitCode === 0 ? undefined : error.message;
  }
}

/** Returns the refused command lines among those that `find` finds in all documents. */
function refused(find: (markdown: string) => string[][], reason = /(?:)/): string[] {
  const lines = documents().flatMap((path) =>
    find(readFileSync(join(root, path), "utf8"))
      .filter(([name]) => name === "page-guard")
      .map(([, ...args]) => ({ path, args })),
  );
  assert.ok(lines.length > 60, `${lines.length} lines were found`);
  return lines.flatMap(({ path, args }) => {
    const why = refusal(args);
    return why !== undefined && reason.test(why) ? [`${path}: page-guard ${args.join(" ")}: ${why}`] : [];
  });
}

describe("The command lines in the documents", () => {
  it("given a line of a code block that runs page-guard, then the command accepts its arguments", () => {
    assert.deepEqual(refused(documentedCommands), []);
  });

  it("given page-guard in a sentence, then the command has the named options", () => {
    assert.deepEqual(refused(namedCommands, /unknown|too many/), []);
  });

  it("given an option that does not exist, then this test would report it", () => {
    const [line] = documentedCommands("```sh\n$ A=1 npx page-guard review --stack prod > x # why\n```\n");
    assert.deepEqual(line, ["page-guard", "review", "--stack", "prod"]);
    assert.match(refusal(line?.slice(1) ?? []) ?? "", /unknown option '--stack'/);
  });
});
