import { createRequire } from "node:module";

// The sources have theirs from here: descriptions are kept beside the library, not in the schema.
const { z } = createRequire(import.meta.url)("zod");

/** The files of `command/schemas`, by name: what other tools check documents of `page-guard report` with. */
export function publishedSchemas({ reportSchema, runSchema }) {
  return {
    "report.schema.json": textOf("JSON report of page-guard report", reportSchema),
    "run.schema.json": textOf("One line of a file under --runs of page-guard report", runSchema),
  };
}

/** As it is read: a newer version may add fields. */
function textOf(title, schema) {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return `${JSON.stringify({ $schema, title, ...rest }, undefined, 2)}\n`;
}
