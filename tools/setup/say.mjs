/** Progress goes to stderr, so that stdout stays a program's own answer. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Says `label` and the seconds passed every `everyMs`, until the work is done. */
export async function withProgress(label, work, { everyMs = 10_000, detail = () => "" } = {}) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say(`${label} …`);
  const timer = setInterval(() => say(`${label}: ${seconds()}${detail()}`), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    say(`${label}: ended after ${seconds()}`);
  }
}
