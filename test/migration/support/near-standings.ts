import type {
  MigrationRecord,
  Observation,
  Position,
} from "../../../provider/src/resources/waf-migration/decision";
import { gone, mute, sent, untouched, validated } from "./standings";

/** Names that nobody knows tell nothing: what is left decides. */
const strange: Observation = { ...validated, migrationState: "x1" };
const off = { ...strange, newEnabled: false };
const nameless: Observation = { ...validated, migrationState: undefined };
const versionless: Observation = { ...validated, entrypointVersion: undefined };
/** A list that was there before, and empty. */
const emptyBefore: Observation = { ...untouched, entrypointVersion: "1" };
const recorded = (observed: Observation): MigrationRecord => ({ reached: "validation", observed });

/** Zones that differ from others in one thing only, by which they stand elsewhere. */
export const nearCases: readonly (readonly [string, Observation, MigrationRecord, Position])[] = [
  // Our own finish, without an answer.
  [
    "unknown, without versions of the list, and nothing at all has changed",
    versionless,
    sent("pending", "unknown", versionless),
    "validation",
  ],
  [
    "unknown, without versions, and the list has been emptied",
    { ...versionless, ruleCount: 0 },
    sent("pending", "unknown", versionless),
    "unclear",
  ],
  [
    "unknown, the same list under another name",
    { ...strange, migrationState: "x2" },
    sent("pending", "unknown", strange),
    "finishing",
  ],
  [
    "unknown, the same list, and only the previous WAF went off",
    { ...off, oldEnabled: false },
    sent("pending", "unknown", off),
    "finishing",
  ],
  [
    "unknown, the same list, and only the old API is gone",
    { ...validated, checkGone: true },
    sent("pending", "unknown", validated),
    "finishing",
  ],
  // In validation by the record.
  [
    "as recorded without a name, the new WAF said to be on since",
    nameless,
    recorded({ ...nameless, newEnabled: undefined }),
    "validation",
  ],
  [
    "as recorded under a strange name, the new WAF no longer told",
    { ...strange, newEnabled: undefined },
    recorded(strange),
    "validation",
  ],
  [
    "as recorded without a name in a zone whose previous WAF was off, the new one said to be on since",
    { ...nameless, oldEnabled: false },
    recorded({ ...nameless, oldEnabled: false, newEnabled: undefined }),
    "unclear",
  ],
  [
    "recorded without a name and without versions, the new WAF said to be on since",
    { ...nameless, entrypointVersion: undefined },
    recorded({ ...nameless, newEnabled: undefined, entrypointVersion: undefined }),
    "unclear",
  ],
  [
    "recorded without a name, the new WAF said to be on since, another list",
    { ...nameless, entrypointVersion: "2" },
    recorded({ ...nameless, newEnabled: undefined }),
    "unclear",
  ],
  // Our own validation, without an answer; its list was seen.
  [
    "validation seen under a strange name, then no longer compatible",
    { ...off, compatible: false },
    { ...sent("validation", "unknown", untouched), observed: { ...off, compatible: false } },
    "unclear",
  ],
  [
    "validation seen before the new WAF was on, on under another strange name now",
    { ...strange, migrationState: "x2" },
    { ...sent("validation", "unknown", untouched), observed: off },
    "validation",
  ],
  // An emptied list.
  [
    "in validation by a record that does not say what was observed, the list emptied",
    { ...untouched, ...mute, entrypointVersion: "2" },
    { reached: "validation" },
    "unclear",
  ],
  [
    "validation accepted and not yet seen in a zone with an empty list, empty again",
    emptyBefore,
    sent("validation", "accepted", emptyBefore),
    "unclear",
  ],
  [
    "validation not answered in a zone with an empty list, its list seen, emptied again",
    { ...emptyBefore, entrypointVersion: "3" },
    { ...sent("validation", "unknown", emptyBefore), observed: { ...emptyBefore, ruleCount: 3 } },
    "unclear",
  ],
  [
    "an empty list that was seen to be empty",
    emptyBefore,
    { ...sent("validation", "unknown", emptyBefore), observed: emptyBefore },
    "old",
  ],
  // Nothing is on record.
  [
    "rules and the old API gone, of the old WAF nothing is said, the new one said to be off",
    { ...validated, ...gone, newEnabled: false, oldEnabled: undefined },
    {},
    "unclear",
  ],
];
