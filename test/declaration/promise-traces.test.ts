import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { leaveOutPromiseTraces } from "../../provider/src/declaration/promise-traces";
import { PageGuardSettings } from "../../provider/src/index";
import { zoneA } from "../small-engine/zones";

class Plain extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Plain", name, { zoneId: zoneA, enabled: true });
  }
}

describe("What the SDK notes of where each promise of a resource was made", () => {
  const usual = Error.prepareStackTrace;

  before(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ inputs }) => ({ id: "id", state: inputs }),
      call: () => ({}),
    });
  });

  afterEach(() => {
    Error.prepareStackTrace = usual;
    delete process.env["PULUMI_DEBUG_PROMISE_LEAKS"];
  });

  /** The functions whose traces are written while `work` runs, by whoever writes them in a program. */
  function writtenFor(work: () => unknown): string[] {
    const written: string[] = [];
    const writer: typeof Error.prepareStackTrace = (error, frames) => {
      written.push(frames[0]?.getFunctionName() ?? "");
      return `${error}\n    at ${frames.join("\n    at ")}`;
    };
    Error.prepareStackTrace = writer;
    work();
    assert.equal(Error.prepareStackTrace, writer, "it was not put back");
    Error.prepareStackTrace = usual;
    return written;
  }

  const notesIn = (written: readonly string[]) =>
    written.filter((maker) => maker === "debuggablePromise").length;

  it("is not written for a resource of this package, as it is for any other; the line of the program is", () => {
    const ofOther = writtenFor(() => new Plain("other"));
    const ofOurs = writtenFor(() => new PageGuardSettings("ours", { zoneId: zoneA, enabled: true }));
    assert.ok(notesIn(ofOther) > 10, `the SDK writes ${notesIn(ofOther)} of them: has it learnt better?`);
    assert.equal(notesIn(ofOurs), 0);
    assert.ok(ofOurs.includes("callsites"), ofOurs.join());
  });

  it("is written for who looks for promises that never end", () => {
    process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = "1";
    const written = writtenFor(() => new PageGuardSettings("leaking", { zoneId: zoneA, enabled: true }));
    assert.ok(notesIn(written) > 10);
  });

  it("is all that is left out: what fails in between says where, and it ends with a failure, too", () => {
    const options = { provider: 5 } as unknown as pulumi.CustomResourceOptions;
    let failure: unknown;
    writtenFor(() => {
      try {
        new PageGuardSettings("failing", { zoneId: zoneA, enabled: true }, options);
      } catch (error) {
        failure = error;
      }
      assert.ok(failure instanceof Error);
      assert.match(failure.stack ?? "", /promise-traces\.test/);
    });
  });

  it("is left to Node where nobody else writes traces", () => {
    Error.prepareStackTrace = undefined as never;
    const end = leaveOutPromiseTraces({});
    assert.equal(Error.prepareStackTrace, undefined);
    end();
    assert.equal(Error.prepareStackTrace, undefined);
  });
});
