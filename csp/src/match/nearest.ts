/** Returns the candidate that a typo of at most `most` letters most likely meant; undefined if none is near. */
export function nearest<T extends string>(
  text: string,
  candidates: readonly T[],
  most = Number.POSITIVE_INFINITY,
): T | undefined {
  // Longer than any candidate could be: also keeps the time for hostile texts flat.
  if (text.length > 40) return undefined;
  let best: T | undefined;
  let bestDistance = Math.min(4, Math.ceil(text.length / 3) + 1, most + 1);
  for (const candidate of candidates) {
    const distance = editDistance(text, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Most guesses for one text. A text of typos only would take long, and its guesses would help no one. */
const mostGuesses = 20;

/** Returns `nearest` for the first typos of one text. */
export function guesser(): typeof nearest {
  let left = mostGuesses;
  return (text, candidates) => (left-- > 0 ? nearest(text, candidates) : undefined);
}

/** Returns the Levenshtein distance: letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
