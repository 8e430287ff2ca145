/** Returns one property of each item, in order. */
export function each<Item, Name extends keyof Item>(
  items: readonly Item[] | undefined,
  name: Name,
): Item[Name][] | undefined {
  return items?.map((item) => item[name]);
}
