/**
 * Returns the milliseconds of processor time that this process needs for `work`. While other tests run, elapsed time means
 * nothing, because it includes waits for a processor.
 */
export function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
