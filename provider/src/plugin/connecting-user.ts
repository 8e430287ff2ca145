import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

const established = "01";

/**
 * Why a connection to this process is refused; undefined for one of our own user or of root. A port of the machine itself is
 * open to all its users, and this process has the token. Linux says whose a connection is; elsewhere every user is trusted,
 * as by all plugins of Pulumi.
 */
export function strangerAt({ remotePort, localPort }: Socket): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (remotePort === undefined || localPort === undefined) return "The connection is closed.";
  let users: readonly number[] = [];
  try {
    // The kernel may leave a line out while the table changes.
    for (let reading = 0; reading < 2 && users.length === 0; reading++)
      users = usersOf(remotePort, localPort);
  } catch {
    return undefined;
  }
  if (users.length === 0)
    return "The system does not say which user connects, so the plugin refuses to work.";
  const stranger = users.find((user) => user !== uid && user !== 0);
  return stranger === undefined
    ? undefined
    : `The plugin works for the user ${uid}, and it is the user ${stranger} who connects.`;
}

/** @throws where there is no such table. */
function usersOf(from: number, to: number): readonly number[] {
  const tables = ["tcp", "tcp6"].map((name) => {
    try {
      return readFileSync(`/proc/net/${name}`, "latin1");
    } catch (error) {
      // A machine without IPv6.
      if (name === "tcp6") return "";
      throw error;
    }
  });
  return tables
    .join("")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      // In another state, the one who connected may have left: such a connection has no user, which is shown as root's.
      ([, here = "", there = "", state]) =>
        state === established && portOf(here) === from && portOf(there) === to,
    )
    .map((fields) => Number(fields[7]));
}

function portOf(address: string): number {
  return Number.parseInt(address.split(":").at(-1) ?? "", 16);
}
