import { type Command, InvalidArgumentError, Option } from "commander";
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
      new Option("--on <forge>", "where (default: what the variables of the CI say)").choices([
        "github",
        "gitlab",
      ]),
    )
    .option("--wait <seconds>", "wait for rate limits no longer than this in all", secondsOf, 300);
}

/** The forge that this pipeline runs on, by what it has set in the environment. */
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
      "This is neither a job of GitHub nor of GitLab. Say --on github and set GITHUB_REPOSITORY and GITHUB_TOKEN, or --on gitlab and set CI_API_V4_URL, CI_PROJECT_ID and GITLAB_TOKEN.",
    );
  }
  return forge === "github" ? githubForge(session, wait * 1000) : gitlabForge(session, wait * 1000);
}

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("A number of seconds.");
  return Number(text);
}
