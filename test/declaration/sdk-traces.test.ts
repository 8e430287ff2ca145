import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { fitTraces } from "../../provider/src/declaration/sdk-traces";
import { PageGuardSettings } from "../../provider/src/index";
import { zoneA } from "../small-engine/zones";

class Plain extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Plain", name, { zoneId: zoneA, enabled: true });
  }
}

/** Frames that the SDK passes over: two functions of its own, its classes, and the one that the program makes. */
const passedOver = 5;

describe("Where something was made, as the SDK has it written", () => {
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

  /** Files of the frames of each trace that is written while `work` runs, by the function that wants it. */
  function writtenFor(work: () => unknown) {
    const written: { readonly by: string; readonly files: readonly (string | null | undefined)[] }[] = [];
    const writer: typeof Error.prepareStackTrace = (error, frames) => {
      written.push({
        by: frames[0]?.getFunctionName() ?? "",
        files: frames.map((frame) => frame.getFileName()),
      });
      return `${error}\n    at ${frames.join("\n    at ")}`;
    };
    Error.prepareStackTrace = writer;
    work();
    assert.equal(Error.prepareStackTrace, writer, "it was not put back");
    Error.prepareStackTrace = usual;
    return {
      notes: written.filter(({ by }) => by === "debuggablePromise").length,
      positions: written.filter(({ by }) => by === "callsites").map(({ files }) => files[passedOver]),
    };
  }

  it("is not noted of each promise of a resource of this package, as it is of any other", () => {
    const { notes } = writtenFor(() => new Plain("other"));
    assert.ok(notes > 10, `the SDK writes ${notes} of them: has it learnt better?`);
    assert.equal(writtenFor(() => new PageGuardSettings("ours", { zoneId: zoneA, enabled: true })).notes, 0);
  });

  it("is noted for who looks for promises that never end", () => {
    process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = "1";
    const { notes, positions } = writtenFor(
      () => new PageGuardSettings("leaks", { zoneId: zoneA, enabled: true }),
    );
    assert.ok(notes > 10);
    assert.deepEqual(positions, [__filename]);
  });

  it("is the line of the program for a resource, not one of our classes", () => {
    assert.deepEqual(writtenFor(() => new Plain("other")).positions, [__filename]);
    const ours = writtenFor(() => new PageGuardSettings("ours", { zoneId: zoneA, enabled: true }));
    assert.deepEqual(ours.positions, [__filename]);
  });

  it("is told in full by what fails in between, and the failure ends it", () => {
    const options = { provider: 5 } as unknown as pulumi.CustomResourceOptions;
    let failure: unknown;
    writtenFor(() => {
      try {
        new PageGuardSettings("failing", { zoneId: zoneA, enabled: true }, options);
      } catch (error) {
        failure = error;
      }
      assert.ok(failure instanceof Error);
      assert.match(failure.stack ?? "", /sdk-traces\.test/);
    });
  });

  it("is left to Node where nobody else writes traces", () => {
    Error.prepareStackTrace = undefined as never;
    const end = fitTraces(__filename, {});
    assert.equal(Error.prepareStackTrace, undefined);
    end();
    assert.equal(Error.prepareStackTrace, undefined);
  });
});
