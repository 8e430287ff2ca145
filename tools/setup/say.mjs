/** Writes progress to stderr, so that stdout contains only the result of the program. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Prints `label` and the elapsed seconds every ten seconds, until the work is done. */
export async function withProgress(label, work) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say(`${label} …`);
  const timer = setInterval(() => say(`${label}: ${seconds()}`), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    say(`${label}: ended after ${seconds()}`);
  }
}
