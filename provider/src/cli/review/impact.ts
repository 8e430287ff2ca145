import { z } from "zod";
import { counted } from "../../text/shown";
import { sumOf } from "../values";
import type { ReadFinding } from "./preview-read";

/** What a policy does to visitors of a zone, by one finding. */
export interface Impact {
  readonly zone: string | undefined;
  /** Scripts and connections in use that it blocks, or malicious ones that it lets in. */
  readonly scripts: number;
  readonly connections: number;
  /** The finding has no counts: it is about one of them at least. */
  readonly isUncounted: boolean;
  /** Malicious ones that it keeps out. */
  readonly malicious: number;
}

const count = z.int().min(0);
const counts = z.object({ scripts: count, connections: count });
const blocked = z.object({ breaks: counts, keepsOut: counts });

/** By the data of findings: what policies would block of the scripts and connections in use. */
export function blockedIn(findings: readonly ReadFinding[]): readonly Impact[] {
  return findings
    .filter(({ code }) => code === "csp-blocks-in-use")
    .map(({ zone, data }) => {
      const { breaks, keepsOut } = blocked.safeParse(data).data ?? {};
      const malicious = (keepsOut?.scripts ?? 0) + (keepsOut?.connections ?? 0);
      return impactOf(zone, breaks, malicious);
    });
}

/** The same of what is malicious and let in. */
export function letInBy(findings: readonly ReadFinding[]): readonly Impact[] {
  return findings
    .filter(({ code }) => code === "csp-lets-malicious-in")
    .map(({ zone, data }) => impactOf(zone, counts.safeParse(data).data, 0));
}

/** Something is blocked or let in, or there would be no finding. */
function impactOf(
  zone: string | undefined,
  { scripts, connections }: z.output<typeof counts> = { scripts: 0, connections: 0 },
  malicious: number,
): Impact {
  return { zone, scripts, connections, malicious, isUncounted: scripts + connections + malicious === 0 };
}

/** `2 scripts`, `1 connection`. */
export function itemCounts(all: readonly Impact[], kind = ""): readonly string[] {
  return [
    ...counted(
      [sumOf(all, ({ scripts }) => scripts), `${kind}script`],
      [sumOf(all, ({ connections }) => connections), `${kind}connection`],
    ),
    ...(all.some(({ isUncounted }) => isUncounted) ? ["not counted"] : []),
  ];
}
