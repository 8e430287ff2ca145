import { nameCompany } from "page-guard-csp";
import { distinct } from "../../shared/values";

/** The companies behind hosts, in brackets to follow them; empty where none is known. */
export function companyOf(hosts: string): string {
  const names = distinct(hosts.split(", ").map(nameCompany));
  return names.length === 0 ? "" : ` (${names.join("; ")})`;
}
