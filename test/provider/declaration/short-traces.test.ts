import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { PageGuardSettings } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";

const args = { zoneId: zoneA, enabled: true };

class Plain extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Plain", name, args);
  }
}

describe("The stack traces that the SDK writes while it creates a resource", () => {
  const usualWriter = Error.prepareStackTrace;
  const usualLimit = Error.stackTraceLimit;

  before(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ inputs }) => ({ id: "id", state: inputs }),
      call: () => ({}),
    });
  });

  afterEach(() => {
    Error.prepareStackTrace = usualWriter;
    delete process.env["PULUMI_DEBUG_PROMISE_LEAKS"];
    assert.equal(Error.stackTraceLimit, usualLimit, "it was not restored");
  });

  /** Counts the traces that are written while `work` runs: those with more than one frame, and those that name this file. */
  function countTraces(work: () => unknown) {
    const written: { readonly frames: number; readonly isOfProgram: boolean }[] = [];
    Error.prepareStackTrace = (error, frames) => {
      const isOfProgram = frames.some((frame) => frame.getFileName() === __filename);
      written.push({ frames: frames.length, isOfProgram });
      return `${error}\n    at ${frames.join("\n    at ")}`;
    };
    work();
    Error.prepareStackTrace = usualWriter;
    return {
      long: written.filter(({ frames }) => frames > 1).length,
      ofProgram: written.filter(({ isOfProgram }) => isOfProgram).length,
    };
  }

  it("are long for each promise of another package's resource, but not for our resources", () => {
    const { long } = countTraces(() => new Plain("other"));
    assert.ok(long > 10, `the SDK writes ${long} of them: is the workaround still needed?`);
    assert.ok(countTraces(() => new PageGuardSettings("ours", args)).long < 5);
  });

  it("still contain the line of the program that declares the resource", () => {
    assert.ok(countTraces(() => new PageGuardSettings("placed", args)).ofProgram > 0);
  });

  it("are long if PULUMI_DEBUG_PROMISE_LEAKS searches for promises that never end", () => {
    process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = "1";
    assert.ok(countTraces(() => new PageGuardSettings("leaks", args)).long > 10);
  });
});
