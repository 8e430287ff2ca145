import assert from "node:assert/strict";
import { makeProgram } from "../../command/src/run";
import { pageGuard, sessionOf } from "./support/console";

describe("The flags of all commands", () => {
  type Command = ReturnType<typeof makeProgram>;
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  const flagsOf = (long: string): readonly string[] =>
    below(makeProgram(sessionOf({}), async () => undefined))
      .flatMap(({ options }) => options)
      .flatMap((one) => (one.long === long ? [`${one.flags}: ${one.description}`] : []));

  it("have --json as a switch, and --markdown, --html and --wait with one meaning and a unit", async () => {
    for (const [long, count] of Object.entries({ "--json": 14, "--html": 6, "--wait": 2 })) {
      const found = flagsOf(long);
      assert.deepEqual([...new Set(found)], found.slice(0, 1));
      assert.equal(found.length, count, long);
    }
    for (const wait of ["10", "10 m", "m", "-1m", "1e3s"]) {
      const { code, err } = await pageGuard(["fleet", "apply", "--zones", "zones.yaml", "--wait", wait]);
      assert.deepEqual([code, /a time with its unit, such as 10m/.test(err)], [1, true], wait);
    }
  });

  it("belong to commands that --help shows in groups", async () => {
    const { out } = await pageGuard(["--help"]);
    const groups = [...out.matchAll(/^(\w.*):\n((?: {2}\w+ +.*\n(?: {10,}.*\n)*)+)/gm)];
    const told = groups.map(([, title, body = ""]) => `${title}: ${body.match(/^ {2}\w+/gm)?.join("")}`);
    assert.deepEqual(told, [
      "Adopt:   export  doctor",
      "Write policies:   suggest  explain  lint",
      "Pull request:   review  comment  apply  fleet",
      "Every night:   drift  issue",
      "Audit:   inventory  report",
    ]);
  });

  it("are quoted on one line if they are refused, so that no value can start a command of a CI system", async () => {
    const hostile = "x\n::warning::\u001b[31m\u202e";
    for (const argv of [["drift", "--zone", hostile], ["drift", hostile], [`--${hostile}`], [hostile]]) {
      const { code, err } = await pageGuard(argv);
      assert.equal(code, 1);
      assert.match(err, /^error: .* \[PG_USAGE\]\n/);
      assert.doesNotMatch(err, /^::|\p{Cf}|\p{Cc}(?<!\n)/mu);
    }
  });
});
