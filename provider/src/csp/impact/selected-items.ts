import type { HostSelection } from "../expression/expression";
import { hostTest } from "../expression/host-set";
import { hostOf, pageUrlOf, type SeenItem } from "./seen-item";

/** Tells whether an item was seen on a page of the hosts that an expression selects: all of them, where it is undecided. */
export function selectedBy(hosts: HostSelection): (seen: SeenItem) => boolean {
  const isOnHosts = hosts.decided ? hostTest(hosts) : () => true;
  return (seen) => {
    const page = pageUrlOf(seen);
    // Where it was seen is not told: it may well be there.
    return page === "" || isOnHosts(hostOf(page));
  };
}
