import { register } from "node:module";

/** Returns the faults that GitHub would find in a workflow or an action. */
export async function faultsOf(name: string, content: string): Promise<string[]> {
  // The package imports its schema without the attribute for JSON that Node requires.
  const hook =
    'export const resolve = async (name, at, next) => { const found = await next(name, at); return found.url.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found; }';
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  const { NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
  const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");
  const parse = name.endsWith("action.yml") ? parseAction : parseWorkflow;
  const parsed = parse({ name, content }, new NoOperationTraceWriter());
  return parsed.context.errors.getErrors().map(({ message }) => message);
}
