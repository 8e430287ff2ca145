import { getWafCompatibility, getWafStatus } from "pulumi-page-guard";

for (const zoneId of process.argv.slice(2)) console.log(`${zoneId} ${await verdict(zoneId)}`);

async function verdict(zoneId) {
  const { newEnabled, oldEnabled } = await getWafStatus({ zoneId });
  // The service no longer answers what follows once the previous WAF is off.
  if (newEnabled === true && oldEnabled === false) return "has migrated";
  const { compatible } = await getWafCompatibility({ zoneId });
  return compatible ? "may migrate" : "cannot migrate: declare it in a preview to read why";
}
