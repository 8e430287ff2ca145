import type { WorkflowRun } from "./forge-server";

/** Runs of a branch and an event since a time: as GitHub (`created=>TIME`) and GitLab (`updated_after=TIME`) filter them. */
export function recentRuns(
  runs: readonly WorkflowRun[] = [],
  query: URLSearchParams,
  nameOfBranch: "branch" | "ref",
): readonly object[] {
  const since = (query.get("created") ?? query.get("updated_after") ?? "").replace(">", "");
  const event = query.get("event") ?? query.get("source");
  const branch = query.get(nameOfBranch);
  return runs
    .filter((run) => run.branch === branch && run.event === event && run.ended >= new Date(since))
    .map(({ ended, ...run }, id) => ({ id, ...run, updated_at: ended.toISOString() }));
}
