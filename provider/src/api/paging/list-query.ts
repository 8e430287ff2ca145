import type { ListQuery } from "../client-types";

/** The statuses of public schemas; without a filter the service answers with active ones only. */
const everyStatus = "active,infrequent,inactive";

/** The query of one page of a list as the service spells it. `perPage` and `page` of the query are left to paging. */
export function listQuery(query: ListQuery, page: number, perPage: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || name === "perPage" || name === "page") continue;
    const text = name === "status" && value === "all" ? everyStatus : valueText(value);
    if (text !== "") parameters.set(snakeCase(name), text);
  }
  parameters.set("page", String(page));
  parameters.set("per_page", String(perPage));
  return parameters.toString();
}

function valueText(value: string | number | boolean | readonly string[]): string {
  return typeof value === "object" ? value.join(",") : String(value);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
