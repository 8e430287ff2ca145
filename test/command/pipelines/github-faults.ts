import { register } from "node:module";

/** What GitHub would say of a workflow or an action. */
export async function faultsOf(name: string, content: string): Promise<string[]> {
  // The package imports its schema as a module without saying that it is JSON, which Node asks for.
  const hook =
    'export const resolve = async (name, at, next) => { const found = await next(name, at); return found.url.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found; }';
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  const { NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
  const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");
  const parsed = (name.endsWith("action.yml") ? parseAction : parseWorkflow)(
    { name, content },
    new NoOperationTraceWriter(),
  );
  return parsed.context.errors.getErrors().map(({ message }) => message);
}
