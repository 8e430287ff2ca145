/** The service has no such route: 7003 for a path that it cannot parse, 7000 alone or beside it. */
const codes: ReadonlySet<number | undefined> = new Set([7000, 7003]);

/** Whether an answer is about the route rather than the object: it never means that an object was deleted. */
export function isNoRoute(apiCode: number | undefined): boolean {
  return codes.has(apiCode);
}
