import assert from "node:assert/strict";
import { lend } from "../real-engine/lent-variables";

describe("What one story adds to the environment that all of them have", () => {
  it("is there for its run only, also where it stood in place of something", () => {
    const env: NodeJS.ProcessEnv = {
      PAGE_GUARD_API_TOKEN: "of all",
      PAGE_GUARD_BASE_URL: "http://127.0.0.1/v4",
    };
    const asBefore = { ...env };
    const takeBack = lend(env, { PAGE_GUARD_API_TOKEN: "of one", PAGE_GUARD_OFFLINE: "1" });
    assert.deepEqual(env, { ...asBefore, PAGE_GUARD_API_TOKEN: "of one", PAGE_GUARD_OFFLINE: "1" });
    takeBack();
    assert.deepEqual(env, asBefore);
  });
});
