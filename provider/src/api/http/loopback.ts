/** Whether a host name of a URL is this machine itself, which needs no encryption and no proxy. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
