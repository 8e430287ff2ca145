import { createRequire } from "node:module";

// Load the copy of zod that the sources use, because zod keeps descriptions in a registry of its own, not in the schema.
const { z } = createRequire(import.meta.url)("zod");

/** Returns the files of `command/schemas` by name. Other tools validate the documents of `page-guard report` with them. */
export function publishedSchemas({ reportSchema, runSchema }) {
  return {
    "report.schema.json": textOf("JSON report of page-guard report", reportSchema),
    "run.schema.json": textOf("One line of a file under --runs of page-guard report", runSchema),
  };
}

/** Returns a schema as text. It describes the input, so it allows the fields that a newer version may add. */
function textOf(title, schema) {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return `${JSON.stringify({ $schema, title, ...rest }, undefined, 2)}\n`;
}
