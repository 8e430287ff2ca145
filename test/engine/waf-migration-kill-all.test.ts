import { killedMigration } from "./support/killed-migration";

describe("On the engine: a migration is accepted once, whenever every process is killed", function () {
  killedMigration(this, "all");
});
