/** Prints Mocha's output, the slowest and the skipped tests, each failure again, and at the end `N passed, N failed`. */
"use strict";
const { Runner, reporters } = require("mocha");

const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END } = Runner.constants;

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const took = [];
    const note = (runnable) => took.push({ title: runnable.fullTitle(), ms: runnable.duration ?? 0 });
    runner.on(EVENT_TEST_END, note);
    runner.on(EVENT_HOOK_END, note);
    const skipped = [];
    runner.on(Runner.constants.EVENT_TEST_PENDING, (test) => skipped.push(test.fullTitle()));
    // `.ci/run` repeats these lines at the end of its output.
    const failed = [];
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      const reason = String(error?.message ?? error)
        .split("\n")
        .filter((line) => line.trim() !== "");
      failed.push(`Failed test: ${test.fullTitle()}: ${reason.slice(0, 12).join(" | ").slice(0, 1000)}`);
    });
    runner.on(EVENT_RUN_END, () => {
      const slowest = took.sort((a, b) => b.ms - a.ms).slice(0, 10);
      const lines = [
        "The ten slowest:",
        ...slowest.map(({ title, ms }) => `${(ms / 1000).toFixed(0).padStart(6)} s  ${title}`),
        "",
        ...skipped.map((title) => `Skipped: ${title}`),
        ...failed,
        ...(took.length === 0 ? ["!! No test ran: check the file names and the --grep."] : []),
        `${this.stats.passes} passed, ${this.stats.failures + (took.length === 0 ? 1 : 0)} failed`,
      ];
      process.stdout.write(`${lines.join("\n")}\n`);
    });
  }
}

module.exports = CountingReporter;
