/** The value of a key that the user chose: it may be `constructor`, which every object seems to have. */
export function atKey<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
