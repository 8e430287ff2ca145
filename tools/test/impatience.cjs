/**
 * Settings for mocha under Stryker. Short time limits end a test that a mutant makes wait forever. The first run, without a
 * mutant, keeps the usual limits. fast-check does not shrink a failing example. Failures have no stack, because nobody reads
 * the stacks and they take most of the time.
 */
"use strict";
const fc = require("fast-check");

const patienceMs = 4000;

process.setSourceMapsEnabled(false);
Error.stackTraceLimit = 0;
fc.configureGlobal({ endOnFailure: true });
// A run that is stopped early must not leave this process behind.
process.on("disconnect", () => process.exit());

module.exports.mochaHooks = {
  beforeEach() {
    const { activeMutant } = globalThis.__stryker__ ?? {};
    if (activeMutant !== undefined) this.currentTest.timeout(patienceMs);
  },
};
