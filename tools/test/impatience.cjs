/**
 * Loaded by mocha under Stryker. Mutants that let a test wait for ever are found in seconds (in the first run, without
 * one, each test has the time that it asks for); a random test that falls is not made smaller; and nobody reads the stack
 * of a failure, which is most of its price.
 */
"use strict";
const fc = require("fast-check");

const patienceMs = 4000;

process.setSourceMapsEnabled(false);
Error.stackTraceLimit = 0;
fc.configureGlobal({ endOnFailure: true });
// A run that is ended early leaves nothing behind.
process.on("disconnect", () => process.exit());

module.exports.mochaHooks = {
  beforeEach() {
    const { activeMutant } = globalThis.__stryker__ ?? {};
    if (activeMutant !== undefined) this.currentTest.timeout(patienceMs);
  },
};
