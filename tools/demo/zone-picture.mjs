/** Describes the contents of a zone in a few lines, as a person would see them in the dashboard. */
export function zonePicture({ id, settings, policies, entrypoint, waf }) {
  const { oldStatus, newStatus, acceptedValidation, acceptedPending } = waf;
  const wafs = [oldStatus && "the previous one", newStatus && "the new one"].filter(Boolean);
  const rules = entrypoint?.rules ?? [];
  return [
    `Zone ${id}`,
    `  monitoring       ${settings.enabled ? "on" : "off"}`,
    `  CSP policies     ${policies.length}`,
    ...policies.map(
      ({ description, action, enabled, value }) =>
        `    - ${description}: ${action}${enabled ? "" : ", disabled"}, ${value}`,
    ),
    `  WAF enforced     ${wafs.join(" and ") || "none"}`,
    `  migration        accepted requests: ${acceptedValidation} for the validation, ${acceptedPending} to finish`,
    `  managed WAF      ${rules.length} rules`,
    ...rules.map(
      ({ description, expression, action, enabled }) =>
        `    - ${description || expression}: ${action}${enabled ? "" : ", disabled"}`,
    ),
  ].join("\n");
}

/** Returns a zone without its timestamps, to compare it with an earlier one. */
export function timeless({ settings: { updated_at: _, ...settings }, policies, entrypoint }) {
  return { settings, policies, rules: entrypoint?.rules.map(({ id, expression }) => ({ id, expression })) };
}
