import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { CspAction, MigrationStage } from "pulumi-page-guard";
import { parse } from "yaml";
import { GuardedZone } from "./guarded-zone";

/** Fields of `zones.yaml` that this program reads; `page-guard fleet` checks the file. */
interface Zone {
  id: string;
  name: string;
  hosts: string[];
  stage?: MigrationStage;
}

const zones: Zone[] = parse(readFileSync(join(__dirname, "zones.yaml"), "utf8"));
const stack = pulumi.getStack();
const zone = zones.find(({ name }) => name === stack);
if (!zone) throw new Error(`zones.yaml has no zone named ${stack}, the name of this stack.`);

new GuardedZone(zone.name, {
  zoneId: zone.id,
  hosts: zone.hosts,
  action: new pulumi.Config().get<CspAction>("action") ?? "log",
  stage: zone.stage,
});
