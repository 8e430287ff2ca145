/** The service has no such route: 7003 with a path that it cannot make sense of, 7000 alone or beside it. */
const codes: ReadonlySet<number | undefined> = new Set([7000, 7003]);

/** Whether an answer speaks of the route and not of what is asked for: it never means that an object is gone. */
export function isNoRoute(apiCode: number | undefined): boolean {
  return codes.has(apiCode);
}
