/** Whether a process with this number runs, also as another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Others may not be signalled, so it is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
