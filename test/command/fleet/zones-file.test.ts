import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { processSession } from "../../../command/src/shared/session";
import { findZones, readZonesFile } from "../../../command/src/shared/zones";
import { pageGuard, useFolder } from "../support/console";

const id = (letter: string) => letter.repeat(32);

describe("zones.yaml", () => {
  const folder = useFolder();

  const parseZones = (text: string | Buffer) => {
    writeFileSync(join(folder, "zones.yaml"), text);
    return readZonesFile({ ...processSession(), cwd: folder }, "zones.yaml");
  };

  it("has names, waves, stages and tags", () => {
    const [zone] = parseZones(`- { id: "${id("A")}", name: a, tags: { owner: web }, stage: finished }`);
    const expected = { id: id("a"), name: "a", hosts: [], wave: 1, stage: "finished", tags: ["owner=web"] };
    assert.deepEqual(zone, expected);
  });

  it("given faults such as duplicate zones, then each is reported with its line", () => {
    const text = [
      `- { id: "${id("a")}", name: shop }`,
      `- id: 12`,
      `  name: ../etc`,
      `- id: "${id("b")}"`,
      `  name: b`,
      `  wave: 0`,
      `  stage: done`,
      `  colour: red`,
      `- { id: "${id("c")}", name: SHOP }`,
      `- { id: "${id("a")}", name: other }`,
    ].join("\n");
    assert.throws(
      () => parseZones(text),
      ({ message }: Error) => {
        for (const expected of [
          /zones\.yaml:2: id: expected 32 hexadecimal characters in quotes/,
          /zones\.yaml:3: name: A name has up to 63/,
          /zones\.yaml:6: wave: expected a whole number from 1/,
          /zones\.yaml:7: stage: expected validation or finished/,
          /zones\.yaml:8: there is no field colour/,
          /zones\.yaml:9: an earlier zone, shop, has the same name/,
          /zones\.yaml:10: an earlier zone, shop, has the same id/,
        ])
          assert.match(message, expected);
        return true;
      },
    );
    const latin1 = Buffer.from(`- { id: "${id("a")}", tags: [München] }`, "latin1");
    for (const source of ["zones: x", "- [", "- *a", latin1])
      assert.throws(() => parseZones(source), /zones\.yaml:1: /);
  });

  it("given two documents, then names the line between them", () => {
    const zones = ["a", "b"].map((one) => `- { id: "${id(one)}" }\n`);
    assert.throws(
      () => parseZones(zones.join("---\n")),
      /^CommandError: zones\.yaml:2: expected one list, got several YAML documents; remove this `---`\. Noth/,
    );
  });

  it("given no zone, then each command with --zones names the file, and does not act on other zones", async () => {
    writeFileSync(join(folder, "none.yaml"), "# none yet\n");
    const approval = ["--by", "Ada", "--reference", "https://git.example/7", "--why", "x"];
    for (const command of [
      ["fleet", "status"],
      ["inventory", "check"],
      ["inventory", "approve", "https://a.example/", ...approval],
      ["drift", "--state", "-"],
    ]) {
      const { code, err } = await pageGuard([...command, "--zones", "none.yaml"], {
        cwd: folder,
        env: { PAGE_GUARD_API_TOKEN: "x".repeat(40) },
        stdin: '{ "deployment": {} }',
      });
      assert.equal(code, 1, command.join(" "));
      assert.match(err, /none\.yaml contains no zone, so nothing was done\. Add a line/);
    }
    writeFileSync(join(folder, "zones.yaml"), "");
    assert.deepEqual(findZones({ ...processSession(), cwd: folder }, {}), []);
  });

  it("of a fleet must have a name for each zone", async () => {
    writeFileSync(join(folder, "zones.yaml"), `- { id: "${id("a")}" }`);
    const { code, err } = await pageGuard(["fleet", "status", "--zones", "zones.yaml"], { cwd: folder });
    assert.equal(code, 1);
    assert.match(err, /has no name\. Give it the name of its stack/);
  });
});
