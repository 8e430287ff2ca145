type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without the members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  const kept = { ...members };
  dropUndefined(kept);
  return kept;
}

function dropUndefined<T extends object>(members: T): asserts members is T & Present<T> {
  for (const name of Object.keys(members)) {
    if (Reflect.get(members, name) === undefined) Reflect.deleteProperty(members, name);
  }
}
