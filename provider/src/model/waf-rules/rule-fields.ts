import { nearest } from "page-guard-csp";
import { z } from "zod";
import type { Extra } from "../../api/client-types";
import { shortly } from "../../text/shown";
import { actions } from "./waf-rule";

/** For an override that says nothing. */
export const noEffect = (what: string) =>
  `${what} changes nothing: it has neither action nor enabled nor any other setting. Say what it should change, or leave it out.`;

/** For a word that is no action. */
export function noAction(issue: { readonly input?: unknown }): string {
  const guess = typeof issue.input === "string" ? nearest(issue.input, actions) : undefined;
  const hint = guess ? `Did you mean "${guess}"?` : `There are ${actions.join(", ")}.`;
  return `${shortly(issue.input)} is no action. ${hint}`;
}

/** Field of the API to the argument that is its name here. */
export type Names = Readonly<Record<string, string>>;

/** `beside`: fields that have an argument of their own and belong there. */
export function extraInput(isDeclared: boolean, beside: Names) {
  const extra = z.record(z.string(), z.unknown(), { error: "extra is an object of further fields." });
  if (!isDeclared) return extra.optional();
  return extra
    .superRefine((fields, context) => {
      for (const name of Object.keys(fields).filter((field) => Object.hasOwn(beside, field))) {
        const message = `this field is no further one: say it beside extra, in ${beside[name]}.`;
        context.addIssue({ code: "custom", path: [name], message });
      }
    })
    .optional();
}

/** A field that may be written in `extra`, as the service shows it, or by its argument, is written once. */
export function saidOnce<T extends { readonly extra?: Extra | undefined }>(names: Names) {
  return (value: T, context: z.RefinementCtx): void => {
    for (const [field, argument] of Object.entries(names)) {
      if (value.extra?.[field] === undefined || Reflect.get(value, argument) === undefined) continue;
      const message = `this is said twice: ${argument} beside extra is the same. Keep one of the two.`;
      context.addIssue({ code: "custom", path: ["extra", field], message });
    }
  };
}

/** Whether it says anything besides. */
export function hasMoreThan(value: object, ...names: readonly string[]): boolean {
  const isEmpty = (entry: unknown) =>
    typeof entry === "object" && entry !== null && Object.keys(entry).length === 0;
  return Object.entries(value).some(
    ([name, entry]) => entry !== undefined && !names.includes(name) && !isEmpty(entry),
  );
}
