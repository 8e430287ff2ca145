/**
 * When to ask a service that does not say how long there is no room, counted from the first moment without: early,
 * because most windows are short, and then ever later. The last is the longest window that is documented.
 */
export const ASK_AFTER_MS: readonly number[] = [2_000, 10_000, 60_000, 300_000];
