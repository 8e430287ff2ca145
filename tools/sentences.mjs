/** `npm run sentences -- test/resources`: tests that write the sentences of their room again, one after the other. */
import { rmSync } from "node:fs";
import { join } from "node:path";

const rooms = process.argv.slice(2);
// A whole room begins without any, so that what no test says any more goes.
if (rooms.every((room) => /^test\/[\w-]+\/?$/.test(room)))
  for (const room of rooms) rmSync(join(room, "sentences.json"), { force: true });
process.env.PAGE_GUARD_TEST_SENTENCES = "write";
process.argv.push("--no-parallel");
await import("./test.mjs");
