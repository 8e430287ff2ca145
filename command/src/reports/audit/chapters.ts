import type { Chapter } from "../blocks/document";
import { changesChapter } from "./changes-chapter";
import { monitoringChapter } from "./monitoring-chapter";
import { policiesChapter } from "./policies-chapter";
import type { AuditReport } from "./report-data";
import { scriptsChapter } from "./scripts-chapter";

/** In the order of reading. */
export function chaptersOf(report: AuditReport): readonly Chapter[] {
  const { data, head } = report;
  return [
    changesChapter(report),
    scriptsChapter(data),
    monitoringChapter(report),
    policiesChapter(data, Date.parse(head.madeAt)),
  ];
}
