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

describe("The stack traces that the SDK writes while it makes a resource", () => {
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
    assert.equal(Error.stackTraceLimit, usualLimit, "it was not put back");
  });

  /** How many frames each trace has that is written while `work` runs, and which of them tell of this file. */
  function writtenFor(work: () => unknown) {
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

  it("are long for each promise of a resource of another package, and for none of ours", () => {
    const { long } = writtenFor(() => new Plain("other"));
    assert.ok(long > 10, `the SDK writes ${long} of them: has it learnt better?`);
    assert.ok(writtenFor(() => new PageGuardSettings("ours", args)).long < 5);
  });

  it("tell the engine in which line of the program the resource is declared", () => {
    assert.ok(writtenFor(() => new PageGuardSettings("placed", args)).ofProgram > 0);
  });

  it("are long for a search for promises that never end", () => {
    process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = "1";
    assert.ok(writtenFor(() => new PageGuardSettings("leaks", args)).long > 10);
  });
});
