import { getWafCompatibility, getWafStatus } from "pulumi-page-guard";

for (const zoneId of process.argv.slice(2)) console.log(`${zoneId} ${await verdict(zoneId)}`);

async function verdict(zoneId) {
  const { newEnabled, oldEnabled } = await getWafStatus({ zoneId });
  // Once the previous WAF is off, the service no longer answers the compatibility check.
  if (newEnabled === true && oldEnabled === false) return "has migrated";
  const { compatible } = await getWafCompatibility({ zoneId });
  return compatible ? "may migrate" : "cannot migrate: preview a WafMigration to read why";
}
