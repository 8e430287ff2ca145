/** Returns in a few lines what a person would see of a zone in the dashboard. */
export function zonePicture(zone) {
  const { settings, policies, entrypoint, waf } = zone;
  const lines = [
    `Zone ${zone.id}`,
    `  monitoring       ${settings.enabled ? "on" : "off"}`,
    `  CSP policies     ${policies.length === 0 ? "none" : ""}`.trimEnd(),
    ...policies.map(
      (policy) =>
        `    - ${policy.description}: ${policy.action}, ${policy.enabled ? "enabled" : "disabled"}, ${policy.value}`,
    ),
    `  WAF in force     ${inForce(waf)}`,
    ...(waf.acceptedValidation + waf.acceptedPending === 0 ? [] : [`  migration        ${accepted(waf)}`]),
    `  managed WAF      ${entrypoint ? `${entrypoint.rules.length} rules` : "no rules of its own"}`,
    ...(entrypoint?.rules ?? []).map(
      (rule) =>
        `    - ${rule.description || rule.expression}: ${rule.action}${rule.enabled ? "" : ", disabled"}`,
    ),
  ];
  return lines.join("\n");
}

function inForce({ oldStatus, newStatus }) {
  if (oldStatus && newStatus) return "the previous and the new one";
  return newStatus ? "the new one" : oldStatus ? "the previous one" : "none";
}

function accepted({ acceptedValidation, acceptedPending }) {
  return `accepted requests: ${acceptedValidation} for the validation, ${acceptedPending} to finish`;
}

/** Returns a zone without its timestamps, to compare it with an earlier one. */
export function timeless(zone) {
  const { updated_at: _, ...settings } = zone.settings;
  return {
    settings,
    policies: zone.policies,
    rules: zone.entrypoint?.rules.map(({ id, expression }) => ({ id, expression })),
  };
}
