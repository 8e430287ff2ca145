import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";

/**
 * Returns the reason to refuse a connection; undefined if it comes from the same user or from root. This process has the token,
 * and any user of the machine can connect to its port. Only Linux shows which user opened the connection; on other systems, the
 * plugin trusts every user, as all Pulumi plugins do.
 */
export function identifyStranger(socket: Socket): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || localAddress === undefined) return "The connection is closed.";
  const [from, to] = [encodeEndpoint(remoteAddress, remotePort), encodeEndpoint(localAddress, localPort)];
  let users: readonly number[] = [];
  try {
    // Reads twice if necessary, because the kernel may omit a line while the table changes.
    for (let reading = 0; reading < 2 && users.length === 0; reading++) users = listUsers(from, to);
  } catch {
    return undefined;
  }
  if (users.length === 0)
    return "The system does not say which user opened the connection, so the plugin refuses it.";
  const stranger = users.find((user) => user !== uid && user !== 0);
  return stranger === undefined
    ? undefined
    : `The plugin runs as user ${uid}, but the connection comes from user ${stranger}.`;
}

/** Returns the ids of the users of a connection. @throws if the machine has no table of connections */
function listUsers(from: string, to: string): readonly number[] {
  // A machine without IPv6 has no table of IPv6 connections.
  const paths = ["/proc/net/tcp", "/proc/net/tcp6"].filter((path, at) => at === 0 || existsSync(path));
  return paths
    .map((path) => readFileSync(path, "latin1"))
    .join("")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      // 01: established. In other states, the client may have closed its end, and the table shows root as the user.
      ([, here = "", there = "", state]) => state === "01" && here.endsWith(from) && there.endsWith(to),
    )
    .map((fields) => Number(fields[7]));
}

/** Encodes address and port as in the kernel's table. The port is not enough: each loopback address has its own ports. */
function encodeEndpoint(address: string, port = 0): string {
  const [word = 0] = new Uint32Array(Uint8Array.from(address.split(".").map(Number)).buffer);
  return `${word.toString(16).padStart(8, "0")}:${port.toString(16).padStart(4, "0")}`.toUpperCase();
}
