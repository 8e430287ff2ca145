/** Returns the candidate that a misspelt word probably means, with at most `most` wrong letters. Undefined if none is near. */
export function nearest<T extends string>(
  text: string,
  candidates: readonly T[],
  most = Number.POSITIVE_INFINITY,
): T | undefined {
  // A word this long is hardly a typo. The limit also bounds the time for hostile input.
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

/** Maximum number of guesses about one input. For an input with more typos, guessing would take long and help nobody. */
const maxGuesses = 20;

/** Returns a function like `nearest` for the typos in one input. It stops guessing after `maxGuesses` calls. */
export function guesser(): typeof nearest {
  let left = maxGuesses;
  return (text, candidates) => (left-- > 0 ? nearest(text, candidates) : undefined);
}

/** Returns the Levenshtein distance: the number of letters to insert, delete or replace. */
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
