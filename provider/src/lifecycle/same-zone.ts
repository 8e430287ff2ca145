/** Zone ids are hexadecimal: the case of their letters makes no other zone. */
export function isSameZone(left: unknown, right: unknown): boolean {
  if (typeof left !== "string" || typeof right !== "string") return left === right;
  return left.toLowerCase() === right.toLowerCase();
}
