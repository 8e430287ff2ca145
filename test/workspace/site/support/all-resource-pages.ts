import { findingTable } from "../../../../provider/src/errors/findings";
import { textOf } from "../../structure/source-files";
import { fileOf, findingsOf, resourcePage, resourcesPage, type Schema, subjects } from "./resource-page";

/** The files of docs/resources by name, as the sources have it now. */
export function resourcePages(): Record<string, string> {
  const schema: Schema = JSON.parse(textOf("provider/plugin/schema.json"));
  return Object.fromEntries([
    ["README.md", resourcesPage(schema)],
    ...Object.keys(subjects).map((name) => [
      fileOf(name),
      resourcePage(name, schema, findingsOf(name, findingTable)),
    ]),
  ]);
}
