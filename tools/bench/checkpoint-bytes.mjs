/** What the program declares and what the resources document as their outputs; everything else is overhead. */
const own = new Set([
  ...["zoneId", "description", "action", "expression", "enabled", "value", "directives"],
  ...["lint", "minimumLogDays", "connection", "policyId", "loggingSince", "impact"],
]);

/**
 * Bytes of a checkpoint: of the file, of one policy's entry (median, as compact JSON), and of what that entry's inputs
 * and outputs hold beyond their own.
 */
export function checkpointBytes(text) {
  const resources = JSON.parse(text).checkpoint.latest.resources ?? [];
  const policies = resources.filter(({ type }) => !type.startsWith("pulumi:"));
  const middle = policies[Math.floor(policies.length / 2)];
  if (!middle) return { file: text.length, entry: 0, beyond: 0, engine: 0 };
  const { inputs = {}, outputs = {}, ...rest } = middle;
  return {
    file: text.length,
    entry: bytes(middle),
    beyond: bytes(inputs) - bytes(onlyOwn(inputs)) + bytes(outputs) - bytes(onlyOwn(outputs)),
    engine: bytes(rest),
  };
}

function onlyOwn(values) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => own.has(name)));
}

function bytes(value) {
  return Buffer.byteLength(JSON.stringify(value));
}
