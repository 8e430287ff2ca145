import { NotApprovedError } from "../../errors/not-approved-error";
import { canonical } from "../../text/canonical";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { declaredAs } from "../declared-as";
import type { Properties } from "../kind";
import { messageOf } from "../message-of";
import type { Run } from "../run";
import { isSameZone } from "../same-zone";
import { tell } from "../tell";
import { isUnknown } from "../unknown";
import { urnParts } from "../urn";
import { type ApprovedContent, type ApprovedStep, readApproved } from "./approved-file";
import type { Change } from "./change";
import { approvalKey } from "./keyed-digest";
import { movedIn, movedText } from "./moved";
import { readZoneContents } from "./zone-contents";

/** What the engine calls a step that ends in a call of ours. */
const opsOf: Readonly<Record<Change["act"], readonly string[]>> = {
  create: ["create", "create-replacement", "replace", "import", "import-replacement"],
  update: ["update"],
  delete: ["delete", "delete-replaced", "replace"],
};

const migrationKind = "WafMigrationStep";

/** Holds a run to an approved file: what is not in it is not done, and no zone is touched that has moved since. */
export class Approval {
  readonly #looks = new Map<string, Promise<void>>();
  readonly #done: string[] = [];
  readonly #content: ApprovedContent;
  readonly #key: string | undefined;

  /** @throws NotApprovedError when the file cannot be used. */
  constructor(
    file: string,
    env: NodeJS.ProcessEnv,
    private readonly run: Run,
  ) {
    try {
      this.#key = approvalKey(env);
      this.#content = readApproved(file, this.#key);
    } catch (error) {
      throw new NotApprovedError({ what: messageOf(error), fix: "" });
    }
  }

  /** @throws NotApprovedError */
  async allow(change: Change): Promise<void> {
    this.#allowStep(change);
    const zone = change.zoneId.toLowerCase();
    let look = this.#looks.get(zone);
    if (!look) {
      look = this.#look(zone, change);
      this.#looks.set(zone, look);
    }
    await look;
  }

  note(done: string): void {
    this.#done.push(done);
  }

  #allowStep(change: Change): void {
    const { act, kind, zoneId, id, urn, inputs } = change;
    const step = this.#stepOf(change);
    if (!step) {
      throw this.#refusal(
        `To ${act} ${declaredAs(kind, nameOf(urn) || shown(id))} is not in what was approved: the program or the state is another one now.`,
        zoneId,
      );
    }
    if (kind !== migrationKind || act === "delete") return;
    const { stage, zoneId: approvedZone } = step.after ?? {};
    if (stage !== inputs["stage"] || !isSameZone(approvedZone, zoneId)) {
      throw this.#refusal(
        `The WAF migration to stage "${shown(String(inputs["stage"]))}" is not in what was approved, and no migration begins that is not.`,
        zoneId,
      );
    }
  }

  /** By its URN; a deletion is not told its URN, and goes by its id. */
  #stepOf({ act, id, urn, kind, inputs }: Change): ApprovedStep | undefined {
    const steps = this.#content.steps.filter(
      ({ op, type }) => opsOf[act].includes(op) && type.endsWith(`:${kind}`),
    );
    if (act === "delete") return steps.find((step) => step.id === id);
    // Of two resources that declare the very same the engine does not tell which one it is about.
    return (
      steps.find((step) => step.urn === urn) ??
      steps.find(({ after }) => canonical(after) === canonical(withoutProvider(inputs)))
    );
  }

  /** Once a zone and process: from then on what differs is of our own making. */
  async #look(zone: string, { connection, urn }: Change): Promise<void> {
    const approved = this.#content.zones.find(({ zoneId }) => zoneId === zone);
    if (!approved) {
      const isUnknownThen = this.#content.unknownZones.includes(urn);
      if (isUnknownThen && this.#content.allowsUnknownZones) {
        const message = `zone ${zone} was not known when this was approved: what it holds was compared with nothing.`;
        const finding = {
          severity: "warning",
          code: "approval-zone-unknown",
          property: "",
          message,
        } as const;
        await tell(this.run, finding, { urn, zoneId: zone });
        return;
      }
      throw this.#refusal(
        isUnknownThen
          ? "This zone was not known when the rest was approved, so nobody has seen what it holds."
          : "What was approved does not have this zone.",
        zone,
      );
    }
    const { salt } = this.#content;
    const live = await readZoneContents(this.run.client(connection), zone, {
      needed: new Set(approved.parts),
    });
    const moved = await movedIn(approved, live, { salt, key: this.#key });
    if (moved.length === 0) return;
    throw this.#refusal(`The zone is not as it was approved: ${listed(moved.map(movedText))}.`, zone);
  }

  #refusal(what: string, zoneId: string): NotApprovedError {
    const done = this.#done.length === 0 ? undefined : listed(this.#done, { most: 30 });
    return new NotApprovedError({ what, done }, isUnknown(zoneId) ? undefined : zoneId);
  }
}

function withoutProvider({ __provider, ...declared }: Properties): Properties {
  return declared;
}

export function nameOf(urn: string): string {
  return shown(urnParts(urn).name, { max: 80 });
}
