import { generatedSites } from "./test/csp/corpus/generated";
import { writtenSites } from "./test/csp/corpus/written";
import { fateOf, sumOf } from "./test/csp/corpus/measure";
for (const [name, sites] of [["generated", generatedSites(7)], ["generated2", generatedSites(8)], ["written", writtenSites]] as const)
  for (const p of (process.argv[2] ? [process.argv[2] as any] : ["host", "path", "url", "plain list of hosts", "exact URLs"])) {
    const f = sites.map((s) => fateOf(s, p));
    const s = sumOf(f);
    console.log(name, p, s.legitimate, s.malicious, s.blockedPercent.toFixed(1), s.unannouncedPercent.toFixed(1), s.letIn);
    if (process.argv[3]) { console.log([...new Set(f.flatMap((x) => x.blocked).map((l) => l.url))].join("\n")); console.log("LET IN", [...new Set(f.flatMap((x) => x.letIn).map((l) => l.url))].join("\n"));}
  }
