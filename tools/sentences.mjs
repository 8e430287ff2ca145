/** `npm run sentences -- test/resources`: tests that write the sentences of their room again, one after the other. */
process.env.PAGE_GUARD_TEST_SENTENCES = "write";
process.argv.push("--no-parallel");
await import("./test.mjs");
