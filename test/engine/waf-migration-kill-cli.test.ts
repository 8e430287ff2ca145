import { killedMigration } from "./support/killed-migration";

describe("On the engine: a migration is accepted once, whenever the CLI is killed", function () {
  killedMigration(this, "cli");
});
