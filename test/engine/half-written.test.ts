import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { fileChecks } from "../../provider/src/cli/doctor/backend";
import { checkpointIn } from "../real-engine/checkpoint";
import { engine, newPlace, runPulumi } from "../real-engine/engine";

describe("On the engine: what a killed run leaves beside a state", () => {
  before(engine);

  it("given empty attributes, then the engine opens the state no more; the doctor names the file, and without it all is there", async () => {
    const place = await newPlace();
    const attributes = `${checkpointIn(place.backend)}.attrs`;
    writeFileSync(attributes, "");
    const state = async () => runPulumi(place, ["stack", "export", "--stack", "dev"]).ended;

    assert.match((await state()).output, /error: failed to load checkpoint: EOF/);
    const [check, ...others] = fileChecks(place);
    assert.ok(check?.message.startsWith(`${attributes} was left half-written`), check?.message);
    assert.deepEqual(others, []);

    rmSync(attributes);
    const { code, stdout } = await state();
    assert.equal(code, 0);
    assert.ok(JSON.parse(stdout).deployment);
    assert.deepEqual(fileChecks(place), []);
    rmSync(place.folder, { recursive: true, force: true });
  });
});
