import { killedMigration } from "./support/killed-migration";

describe("On the engine: a migration is accepted once, whenever the provider process is killed", function () {
  killedMigration(this, "provider");
});
