/** `1 policy`, `2 policies`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The counts that are not zero: `2 scripts`, `1 connection`. */
export function counted(
  ...counts: readonly (readonly [count: number, one: string, many?: string])[]
): string[] {
  return counts.filter(([count]) => count > 0).map(([count, one, many]) => plural(count, one, many));
}
