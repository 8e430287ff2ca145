import { inspect } from "node:util";
import * as pageGuard from "../../../provider/src";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import type { Simulator, ZoneSeed, ZoneSnapshot } from "../../../simulator/src";
import type { Properties } from "../../provider/small-engine/checkpoint";
import { SmallEngine } from "../../provider/small-engine/small-engine";
import { policy, zoneA } from "../../provider/small-engine/zones";

export const noLimit = "1000000";

/** A story: operations on a zone that continue after each failure. The stage collects everything that they print. */
export interface HostileStory {
  readonly title: string;
  readonly zone: ZoneSeed;
  readonly tell: (stage: Stage) => Promise<void>;
}

/** Place of a story: the simulator, the base URL of the proxy before it, and the printed texts. */
export class Stage {
  readonly printed: string[] = [];

  constructor(
    readonly sim: Simulator,
    readonly baseUrl: string,
  ) {}

  engine<Inputs, State extends object>(kind: Kind<Inputs, State>): Teller<Inputs, State> {
    const env = { PAGE_GUARD_BASE_URL: this.baseUrl, PAGE_GUARD_MAX_REQUESTS_PER_5M: noLimit };
    const engine = new SmallEngine(this.sim, kind, { env });
    engine.now = Date.now();
    return new Teller(engine, this.printed);
  }

  /** Calls a function, and prints its error as a program without error handling would. */
  async call(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.printed.push(
        error instanceof Error ? error.message : String(error),
        inspect(error).replace(/\n\s+at .*/g, ""),
      );
    }
  }
}

/** A small engine that continues after failures and collects its messages. */
class Teller<Inputs, State extends object> {
  constructor(
    private readonly engine: SmallEngine<Inputs, State>,
    private readonly printed: string[],
  ) {}

  preview = (inputs: Properties) => this.try(() => this.engine.preview({ it: inputs }));
  up = (inputs: Properties) => this.try(() => this.engine.up({ it: inputs }));
  refresh = () => this.try(() => this.engine.refresh());
  destroy = () => this.try(() => this.engine.destroy());

  private async try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // An assertion of the small engine has the failures in `actual`.
      const failures: unknown = Object(error).actual;
      const texts = Array.isArray(failures) ? failures.map((failure) => String(Object(failure).text)) : [];
      this.printed.push(
        ...(texts.length > 0 ? texts : [error instanceof Error ? error.message : String(error)]),
      );
    }
    this.printed.push(...[...this.engine.warnings, ...this.engine.progress].map(({ text }) => text));
  }
}

const managed = "11111111111111111111111111111111";
const theirs = {
  action: "execute",
  expression: "true",
  description: "theirs",
  action_parameters: { id: "99999999999999999999999999999999" },
} as const;
const ourRule = { action: "execute", expression: "true", actionParameters: { id: managed } };

export const stories: readonly HostileStory[] = [
  {
    title: "settings",
    zone: {},
    async tell(stage) {
      const engine = stage.engine(pageGuardSettings);
      const settings = { zoneId: zoneA, enabled: true, useConnectionUrlPath: true };
      await engine.preview(settings);
      await engine.up(settings);
      await engine.refresh();
      await engine.up({ ...settings, enabled: false });
      await engine.destroy();
    },
  },
  {
    title: "policies",
    zone: {
      policies: [
        policy({ action: "allow", description: "same" }),
        policy({ action: "log", description: "near" }),
      ],
      scripts: 3,
      connections: 3,
      statuses: ["active", "infrequent"],
    },
    async tell(stage) {
      const engine = stage.engine(cspPolicy);
      const wanted = (more: Properties) => policy({ action: "allow", minimumLogDays: 0, ...more });
      await engine.preview(wanted({ description: "same" }));
      await engine.preview(wanted({ description: "near" }));
      await engine.up(policy({ description: "own" }));
      await engine.preview(wanted({ description: "own", minimumLogDays: 7 }));
      await engine.up(wanted({ description: "own" }));
      await engine.refresh();
      await engine.destroy();
    },
  },
  ...(["refuse", "keep", "overwrite"] as const).map((foreignRules) => ({
    title: `entry point, foreign rules: ${foreignRules}`,
    zone: { entrypoint: { name: "shared", description: "of theirs", rules: [theirs] } },
    async tell(stage: Stage) {
      const engine = stage.engine(managedWafEntrypoint);
      const entrypoint = (rules: readonly Properties[]) => ({ zoneId: zoneA, rules, foreignRules });
      await engine.preview(entrypoint([ourRule]));
      await engine.up(entrypoint([ourRule]));
      await engine.up(entrypoint([{ ...ourRule, description: "edited" }]));
      await engine.refresh();
      await engine.preview(entrypoint([ourRule]));
      await engine.destroy();
    },
  })),
  {
    title: "migration",
    zone: {
      waf: {
        firewallRules: 2,
        owasp: true,
        overrides: [{ id: "0123456789abcdef0123456789abcdef", action: "log", enabled: true }],
        pageRules: [{ pattern: "*", setting: "waf_on" }],
        validationMs: 0,
        finishMs: 0,
      },
    },
    async tell(stage) {
      const engine = stage.engine(wafMigrationStep);
      const step = (name: string, more: Properties = {}) => ({
        zoneId: zoneA,
        confirm: zoneA,
        stage: name,
        timeoutMinutes: 1,
        ...more,
      });
      const override = { rulesetId: "efb7b8c949ac4650a09736fc376e9aee", ruleId: managed, action: "log" };
      await engine.preview(step("validation"));
      await engine.preview(step("validation", { ruleOverrides: [{ ...override, rulesetId: managed }] }));
      await engine.up(step("validation"));
      await engine.preview(step("finished", { ruleOverrides: [override] }));
      const waf = stage.sim.zones.get(zoneA).waf;
      if (waf.stage === "validation") stage.sim.dashboard.addRule(zoneA, theirs);
      await engine.preview(step("finished"));
      await engine.refresh();
      await engine.up(step("finished", { configuration: { name: "default", rules: [ourRule] } }));
      await engine.refresh();
      await engine.destroy();
    },
  },
  {
    title: "migration that is not possible",
    zone: { waf: { uriOverrides: 2 } },
    async tell(stage) {
      const engine = stage.engine(wafMigrationStep);
      await engine.preview({ zoneId: zoneA, confirm: zoneA, stage: "finished" });
    },
  },
];

const reported = {
  status: "active",
  domain_reported_malicious: true,
  url_reported_malicious: true,
  malicious_domain_categories: ["malware"],
  malicious_url_categories: ["phishing"],
};

const readZone: ZoneSeed = {
  policies: [policy()],
  entrypoint: { name: "shared", rules: [theirs] },
  waf: { firewallRules: 1, owasp: true, uriOverrides: 1 },
  scripts: [{}, reported],
  connections: [{}, reported],
  cookies: 2,
};

/** Each read that a program can make, as a story of one request. */
export const reads: readonly HostileStory[] = (
  [
    ["getSettings", (args) => pageGuard.getSettings(args)],
    ["getScripts", (args, { onWarning }) => pageGuard.getScripts(args, { onWarning })],
    [
      "getScript",
      (args, { zone }) => pageGuard.getScript({ ...args, scriptId: idOf(zone.scripts.slice(1)) }),
    ],
    ["getConnections", (args, { onWarning }) => pageGuard.getConnections(args, { onWarning })],
    [
      "getConnection",
      (args, { zone }) => pageGuard.getConnection({ ...args, connectionId: idOf(zone.connections.slice(1)) }),
    ],
    ["getCookies", (args, { onWarning }) => pageGuard.getCookies(args, { onWarning })],
    ["getCookie", (args, { zone }) => pageGuard.getCookie({ ...args, cookieId: idOf(zone.cookies) })],
    ["getPolicies", (args) => pageGuard.getPolicies(args)],
    ["getPolicy", (args, { zone }) => pageGuard.getPolicy({ ...args, policyId: idOf(zone.policies) })],
    ["getEntrypoint", (args) => pageGuard.getEntrypoint(args)],
    ["getWafCompatibility", (args) => pageGuard.getWafCompatibility(args)],
    ["getWafConfiguration", (args) => pageGuard.getWafConfiguration(args)],
    ["getWafStatus", (args) => pageGuard.getWafStatus(args)],
  ] satisfies readonly [string, Read][]
).map(([title, read]) => ({
  title,
  zone: readZone,
  async tell(stage) {
    process.env["HOSTILE_STORY_TOKEN"] = stage.sim.token;
    const args = { zoneId: zoneA, connection: { baseUrl: stage.baseUrl, tokenEnv: "HOSTILE_STORY_TOKEN" } };
    const onWarning = (text: string) => void stage.printed.push(text);
    await stage.call(() => read(args, { zone: stage.sim.zone(zoneA), onWarning }));
  },
}));

type Read = (
  args: pageGuard.ZoneArgs,
  around: { readonly zone: ZoneSnapshot; readonly onWarning: (text: string) => void },
) => Promise<unknown>;

function idOf(items: readonly { readonly id: string }[]): string {
  return items[0]?.id ?? "";
}
