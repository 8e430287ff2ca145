/** Prints Mocha's output, the slowest and the skipped tests, each failure again, and at the end `N passed, N failed`. */
"use strict";
const { Runner, reporters } = require("mocha");

const events = Runner.constants;

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const took = [];
    const skipped = [];
    // `.ci/run` repeats these lines at the end of its output.
    const failed = [];
    for (const event of [events.EVENT_TEST_END, events.EVENT_HOOK_END])
      runner.on(event, (one) => took.push({ title: one.fullTitle(), ms: one.duration ?? 0 }));
    runner.on(events.EVENT_TEST_PENDING, (test) => skipped.push(`Skipped: ${test.fullTitle()}`));
    runner.on(events.EVENT_TEST_FAIL, (test, error) => {
      const lines = String(error?.message ?? error).split("\n");
      const reason = lines.filter((line) => line.trim() !== "").slice(0, 12);
      failed.push(`Failed test: ${test.fullTitle()}: ${reason.join(" | ").slice(0, 1000)}`);
    });
    runner.on(events.EVENT_RUN_END, () => {
      const slowest = took.sort((a, b) => b.ms - a.ms).slice(0, 10);
      const isEmpty = took.length === 0;
      const lines = [
        "The ten slowest:",
        ...slowest.map(({ title, ms }) => `${(ms / 1000).toFixed(0).padStart(6)} s  ${title}`),
        "",
        ...skipped,
        ...failed,
        ...(isEmpty ? ["!! No test ran: check the file names and the --grep."] : []),
        `${this.stats.passes} passed, ${this.stats.failures + (isEmpty ? 1 : 0)} failed`,
      ];
      process.stdout.write(`${lines.join("\n")}\n`);
    });
  }
}

module.exports = CountingReporter;
