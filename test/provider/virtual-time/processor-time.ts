/**
 * Milliseconds that this process works for it. Beside other tests the time on the wall says nothing: what waits for a
 * processor does no work.
 */
export function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
