import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { processSession } from "../../../command/src/shared/session";
import { readZonesFile } from "../../../command/src/shared/zones";
import { pageGuard, useFolder } from "../support/console";

const id = (letter: string) => letter.repeat(32);

describe("zones.yaml", () => {
  const folder = useFolder();

  const parseZones = (text: string) => {
    writeFileSync(join(folder, "zones.yaml"), text);
    return readZonesFile({ ...processSession(), cwd: folder }, "zones.yaml");
  };

  it("has names, waves, stages and tags", () => {
    const [zone] = parseZones(`- { id: "${id("A")}", name: a, tags: { owner: web }, stage: finished }`);
    assert.deepEqual(zone, {
      ...{ id: id("a"), name: "a", hosts: [], wave: 1, stage: "finished", tags: ["owner=web"] },
    });
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
          /zones\.yaml:9: the zone shop has the same name/,
          /zones\.yaml:10: the zone shop has the same id/,
        ])
          assert.match(message, expected);
        return true;
      },
    );
    for (const source of ["zones: x", "- [", "- *a"])
      assert.throws(() => parseZones(source), /zones\.yaml:1: /);
  });

  it("of a fleet must have a name for each zone", async () => {
    writeFileSync(join(folder, "zones.yaml"), `- { id: "${id("a")}" }`);
    const { code, err } = await pageGuard(["fleet", "status", "--zones", "zones.yaml"], { cwd: folder });
    assert.equal(code, 1);
    assert.match(err, /has no name\. Give it the name of its stack/);
  });
});
