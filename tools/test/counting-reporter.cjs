/** Mocha's own output, and at the end a file with what it counted: the option `report` names it. */
"use strict";
const { renameSync, writeFileSync } = require("node:fs");
const { Runner, reporters } = require("mocha");

const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_PENDING } =
  Runner.constants;

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    const took = [];
    const failures = [];
    const note = (runnable) => {
      if (runnable.duration > 0) took.push({ title: runnable.fullTitle(), ms: runnable.duration });
    };
    runner.on(EVENT_TEST_PENDING, (test) => skipped.push(test.fullTitle()));
    runner.on(EVENT_TEST_FAIL, (runnable, error) => {
      const lines = String(error?.message ?? error).split("\n");
      const reason = lines
        .filter((line) => line.trim() !== "")
        .slice(0, 12)
        .join(" | ")
        .slice(0, 1000);
      failures.push(`${runnable.fullTitle()}: ${reason}`);
    });
    runner.on(EVENT_TEST_END, note);
    runner.on(EVENT_HOOK_END, note);
    runner.on(EVENT_RUN_END, () => {
      const { report } = options.reporterOptions;
      const counted = { passed: this.stats.passes, failed: this.stats.failures, failures, skipped, took };
      // In one step: who sees the file sees all of it.
      writeFileSync(`${report}.part`, JSON.stringify(counted));
      renameSync(`${report}.part`, report);
    });
  }
}

module.exports = CountingReporter;
