const localName = /^(?:.*\.)?(?:localhost|local)\.?$/;

/** Of IPv4: this host, private, shared, loopback and link-local addresses (RFC 1122, 1918, 6598, 3927). */
const localIpv4 =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/;

/** Of IPv6, as URLs spell it: unspecified, loopback, unique local and link-local ones (RFC 4291, 4193). */
const localIpv6 = /^\[(?:::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/;

/** A host, as URLs spell it, that is another one for each visitor: on one's own machine, or in one's own network. */
export function isLocalHost(host: string): boolean {
  return localName.test(host) || localIpv4.test(host) || localIpv6.test(host);
}
