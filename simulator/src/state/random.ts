/** Returns the next number, in [0, 1), of a sequence that a seed determines. */
export type Random = () => number;

/** Creates a generator (mulberry32): small, fast, good enough for test data, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makeHexadecimal(random: Random, length: number): string {
  let digits = "";
  while (digits.length < length) {
    const word = Math.floor(random() * 2 ** 32);
    digits += word.toString(16).padStart(8, "0");
  }
  return digits.slice(0, length);
}

/** Returns the FNV-1a hash of a string, so that each zone id has a seed of its own. */
export function computeHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
