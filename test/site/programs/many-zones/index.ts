import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CspPolicySet, PageGuardSettings } from "pulumi-page-guard";
import { parse } from "yaml";

const zones: { id: string; name: string }[] = parse(readFileSync(join(__dirname, "zones.yaml"), "utf8"));

/** Hosts that the scripts of one zone need beside its own. */
const scripts: Record<string, string[]> = { shop: ["https://js.payments.example"] };

for (const { id: zoneId, name } of zones) {
  new PageGuardSettings(`${name}-settings`, { zoneId, enabled: true });
  new CspPolicySet(`${name}-policies`, {
    zoneId,
    policies: {
      baseline: {
        action: "log",
        expression: "true",
        directives: { "script-src": ["'self'", ...(scripts[name] ?? [])], "object-src": ["'none'"] },
      },
    },
  });
}
