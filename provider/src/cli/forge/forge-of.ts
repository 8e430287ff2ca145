import { type Command, Option } from "commander";
import { wholeNumber } from "../options";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import type { Forge } from "./forge";
import { githubForge } from "./github";
import { gitlabForge } from "./gitlab";

export interface ForgeFlags {
  readonly on?: "github" | "gitlab";
  readonly wait: number;
}

export function withForge(command: Command): Command {
  return command
    .addOption(
      new Option("--on <forge>", "forge to use (default: the one of this CI run)").choices([
        "github",
        "gitlab",
      ]),
    )
    .option("--wait <seconds>", "longest wait for rate limits in total", wholeNumber(0, 99_999), 300);
}

/** The forge of this pipeline, by its environment variables. */
export function forgeOf(session: Session, { on, wait }: ForgeFlags): Forge {
  const { env } = session;
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  const forge =
    on ??
    (isSet("GITHUB_ACTIONS") ? "github" : undefined) ??
    (isSet("GITLAB_CI") ? "gitlab" : undefined) ??
    (isSet("GITHUB_REPOSITORY") && !isSet("CI_PROJECT_ID") ? "github" : undefined) ??
    (isSet("CI_PROJECT_ID") && !isSet("GITHUB_REPOSITORY") ? "gitlab" : undefined);
  if (forge === undefined) {
    throw new UsageError(
      "This is neither a GitHub nor a GitLab job. Use --on github and set GITHUB_REPOSITORY and GITHUB_TOKEN, or --on gitlab and set CI_API_V4_URL, CI_PROJECT_ID and GITLAB_TOKEN.",
    );
  }
  return forge === "github" ? githubForge(session, wait * 1000) : gitlabForge(session, wait * 1000);
}
