import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { forTerminal } from "../../reports/escape";
import type { Session } from "../session";
import { backendFolder } from "./backend-folder";
import { type Check, stops } from "./check";
import { jsonFile } from "./json-file";

const name = "backend files";

/**
 * In a backend of files a file of attributes stands beside each state, and the engine writes it in two steps: a job that is
 * killed between them leaves it empty. The state itself is whole, and no command opens it any more.
 */
export function fileChecks({ env }: Pick<Session, "env">): readonly Check[] {
  const backend = backendFolder(env);
  if (backend === undefined) return [];
  const folder = join(backend, ".pulumi", "stacks");
  return attributeFiles(folder)
    .filter((file) => jsonFile(join(folder, file)) === undefined)
    .map((file) => stops(name, sentence(join(folder, file))));
}

function sentence(file: string): string {
  return `${forTerminal(file)} was being written when a run was killed, so pulumi says "failed to load checkpoint: EOF". Nothing of the stack is in it: delete this file, and run pulumi again.`;
}

function attributeFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json.attrs"))
    .sort();
}
