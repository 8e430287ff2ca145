import type { AuditReport } from "../reports/audit/report-data";

/** Who made it, by the variables of GitHub or GitLab; null outside of both. */
export function madeBy(env: NodeJS.ProcessEnv): AuditReport["head"]["madeBy"] {
  const named = (name: string): string | null => env[name]?.trim() || null;
  if (named("GITHUB_ACTIONS") !== null) {
    const [server, repository, run] = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map(named);
    return {
      system: "GitHub Actions",
      person: named("GITHUB_ACTOR"),
      run: server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null,
      repository: repository ?? null,
      commit: named("GITHUB_SHA"),
    };
  }
  if (named("GITLAB_CI") !== null) {
    return {
      system: "GitLab CI",
      person: named("GITLAB_USER_LOGIN"),
      run: named("CI_JOB_URL"),
      repository: named("CI_PROJECT_PATH"),
      commit: named("CI_COMMIT_SHA"),
    };
  }
  return null;
}
