import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseZones } from "../../../command/src/fleet/zones-file";

const id = (letter: string) => letter.repeat(32);

describe("zones.yaml of a fleet", () => {
  it("has names, waves, stages and tags; those of the example can be read", () => {
    const zones = parseZones("zones.yaml", readFileSync("examples/fleet/zones.yaml", "utf8"));
    assert.deepEqual(
      zones.map(({ name, wave, stage }) => [name, wave, stage]),
      [
        ["shop-test", 1, undefined],
        ["shop-de", 2, undefined],
        ["shop-fr", 3, undefined],
      ],
    );
    const [zone] = parseZones("z", `- { id: "${id("A")}", name: a, tags: { owner: web }, stage: finished }`);
    assert.deepEqual(zone, {
      ...{ id: id("a"), name: "a", hosts: [], wave: 1, stage: "finished", tags: ["owner=web"] },
    });
  });

  it("given faults, then each is named with its line, and a zone is listed once", () => {
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
      `- { id: "${id("d")}", name: Manifest }`,
    ].join("\n");
    assert.throws(
      () => parseZones("zones.yaml", text),
      ({ message }: Error) => {
        for (const expected of [
          /zones\.yaml:2: id: expected 32 hexadecimal characters, quoted/,
          /zones\.yaml:3: name: A name has up to 63/,
          /zones\.yaml:6: wave: expected a whole number from 1/,
          /zones\.yaml:7: stage: expected validation or finished/,
          /zones\.yaml:8: there is no field colour/,
          /zones\.yaml:9: the zone shop has the same name/,
          /zones\.yaml:10: the zone shop has the same id/,
          /zones\.yaml:11: name: .*manifest\.json/,
        ])
          assert.match(message, expected);
        return true;
      },
    );
    assert.throws(
      () => parseZones("z", `- { id: "${id("a")}", name: Manifest }`),
      /z:1: name: the folder of approved files has a manifest\.json of its own/,
    );
    for (const source of ["", "zones: x", "- [", "- *a"])
      assert.throws(() => parseZones("z", source), /z:1: /);
  });
});
