import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { leaveAnswerParserPlain } from "../../provider/src/internals/answer-parser";

/** Milliseconds that Node has for its compilers; where it optimises, that happens in the background. */
const patience = [20, 200, 2000, 20_000, 60_000];

/** One function that would be optimised within a blink: it adds up as many numbers as it is told. */
const adding = `
  const bytes = [
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0,
    10, 27, 1, 25, 1, 1, 0x7f, 3, 0x40, 0x20, 1, 0x20, 0, 0x6a, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0,
    0x0b, 0x20, 1, 0x0b,
  ];
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;
  for (let turn = 0; turn < 20; turn += 1) f(1000000);
`;

describe("The parser of answers in the provider process", () => {
  function flagsOn(node: string): string[] {
    const given: string[] = [];
    leaveAnswerParserPlain(node, (flags) => given.push(flags));
    return given;
  }

  /** What Node says of its compilers, in a process that sets these flags first. */
  function compiled(flags: readonly string[], ms = 20): { readonly out: string; readonly err: string } {
    const first = flags.map((text) => `require("node:v8").setFlagsFromString(${JSON.stringify(text)});`);
    const args = [
      "--trace-wasm-compilation-times",
      "-e",
      `${first.join("")}${adding}setTimeout(() => console.log(f(3)), ${ms});`,
    ];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    return { out: stdout, err: stderr };
  }

  it("is left as it was loaded, however long it works, and Node says nothing of the flags", () => {
    const plain = compiled(flagsOn(process.versions.node));
    assert.match(plain.out, /using Liftoff.*\n6\n$/s);
    assert.doesNotMatch(plain.out, /TurboFan/);
    assert.equal(plain.err, "");
    const isOptimised = patience.some((ms) => compiled([], ms).out.includes("using TurboFan"));
    assert.ok(isOptimised, "it would be optimised otherwise");
  });

  it("is left alone in a version that was not tried", () => {
    assert.deepEqual(flagsOn("23.1.0"), []);
    assert.deepEqual(flagsOn("97.0.0"), []);
  });
});
