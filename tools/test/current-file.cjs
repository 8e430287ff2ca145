/** For mocha's `--require`: records which file is running, so that `spent` can be added up by file. */
"use strict";

const name = "PAGE_GUARD_TEST_FILE";

exports.mochaHooks = {
  // What a file does before its first test; several files in one process: the first of them.
  beforeAll() {
    process.env[name] = this.test.parent.suites[0]?.file ?? "";
  },
  beforeEach() {
    process.env[name] = this.currentTest.file ?? "";
  },
};
