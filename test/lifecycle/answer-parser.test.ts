import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { leaveAnswerParserPlain } from "../../provider/src/lifecycle/answer-parser";

describe("The parser of answers in the provider process", () => {
  function flagsOn(node: string): string[] {
    const flags: string[] = [];
    leaveAnswerParserPlain(node, (flag) => flags.push(flag));
    return flags;
  }

  it("is left as it is by a flag that this Node knows, and says nothing of", () => {
    const [flag = ""] = flagsOn("20.18.1");
    const script = `require("node:v8").setFlagsFromString(${JSON.stringify(flag)})`;
    const { stderr, stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    assert.equal(flag.split("=")[0], "--wasm-tiering-budget");
    assert.equal(stderr + stdout, "");
  });

  it("is not spoken of to a version that nobody has tried", () => {
    assert.deepEqual(flagsOn("23.1.0"), []);
    assert.deepEqual(flagsOn("97.0.0"), []);
  });
});
