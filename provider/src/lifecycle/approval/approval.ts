import { NotApprovedError } from "../../errors/not-approved-error";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { isSameZone, zoneIdOf } from "../../zone/zone-id";
import { checkedResources } from "../checked-resources";
import { messageOf } from "../coded-error";
import { warningOn } from "../finding";
import type { Run } from "../run";
import { tell } from "../tell";
import { isUnknown } from "../unknown";
import { declaredAs, kindOf, urnParts } from "../urn";
import { type ApprovedContent, type ApprovedStep, readApproved } from "./approved-file";
import { approvalKey, type DigestKey, digestKeyIn } from "./keyed-digest";
import { movedIn, movedText } from "./moved";
import { type ChangeCall, migrationKind, otherThanApproved } from "./step-compared";
import { readZoneContents } from "./zone-contents";

const blank =
  "PAGE_GUARD_APPROVED is set and empty, so it is not clear whether this update is to be held to an approved file. Give it the file's path, or unset it.";

/** What the engine calls a step that ends in a call of ours. */
const opsOf: Readonly<Record<ChangeCall["act"], readonly string[]>> = {
  create: ["create", "create-replacement", "replace"],
  update: ["update"],
  delete: ["delete", "delete-replaced", "replace"],
};

/** Whose digest the provider process is to find: set by `page-guard apply`, which has read the file. */
export const approvedDigestVariable = "PAGE_GUARD_APPROVED_SHA256";

/** Holds a run to an approved file: what is not in it is not done, and no zone is touched that has moved since. */
export class Approval {
  readonly #compared = new Map<string, Promise<void>>();
  readonly #done: string[] = [];
  /** A step allows each of its calls once. */
  readonly #used = new Set<string>();
  readonly #content: ApprovedContent;
  readonly #key: DigestKey;
  readonly #isApply: boolean;

  /** @throws NotApprovedError when the file cannot be used. */
  constructor(
    file: string,
    env: NodeJS.ProcessEnv,
    private readonly run: Run,
  ) {
    const sha256 = env[approvedDigestVariable];
    this.#isApply = sha256 !== undefined;
    try {
      if (file === "") throw new Error(blank);
      this.#content = readApproved(file, { sha256, key: approvalKey(env) }).content;
      this.#key = digestKeyIn(env, this.#content.salt);
    } catch (error) {
      throw new NotApprovedError({ what: messageOf(error), fix: "" });
    }
  }

  /** @throws NotApprovedError */
  async allow(change: ChangeCall): Promise<void> {
    this.#allowStack(change);
    await this.#allowStep(change);
    const zone = zoneIdOf(change.zoneId) ?? change.zoneId;
    const compared = this.#compared.get(zone) ?? this.#compareZone(zone, change);
    this.#compared.set(zone, compared);
    await compared;
  }

  note(done: string): void {
    this.#done.push(done);
  }

  /** An object's id says nothing of the stack; what this process has checked does. */
  #allowStack({ zoneId }: ChangeCall): void {
    const { project, stack } = this.#content;
    const approved = `urn:pulumi:${stack}::${project}::`;
    const named = [...checkedResources(this.run).keys()].filter((urn) => urn !== "");
    const other = named.find((urn) => !urn.startsWith(approved));
    if (other !== undefined) {
      const [, stackNow = "", projectNow = ""] = /^urn:pulumi:(.*?)::(.*?)::/.exec(other) ?? [];
      throw this.#refusal(
        `What was approved is the stack ${shown(stack)} of ${shown(project)}, and this is ${shown(stackNow)} of ${shown(projectNow)}.`,
        zoneId,
      );
    }
    // `page-guard apply` has compared the stack before it began the update.
    if (named.length > 0 || this.#isApply) return;
    throw this.#refusal(
      "The stack is not known: no resource of this package was checked in this run.",
      zoneId,
      "Run it with `page-guard apply`, which compares the stack.",
    );
  }

  async #allowStep(change: ChangeCall): Promise<void> {
    const { act, kind, zoneId, id, urn, inputs } = change;
    const name = declaredAs(kind, shown(urnParts(urn).name, { max: 80 }) || shown(id));
    const places: string[] = [];
    for (const [use, step] of this.#candidates(change)) {
      const others = await otherThanApproved(step, change, this.#content, this.#key);
      if (this.#used.has(use)) continue;
      if (others.length === 0) {
        this.#used.add(use);
        return;
      }
      places.push(...others);
    }
    if (places.length === 0) {
      throw this.#refusal(
        `To ${act} ${name} is not in what was approved: the program or the state has changed since.`,
        zoneId,
      );
    }
    const where = listed(places);
    throw this.#refusal(
      kind === migrationKind && act !== "delete"
        ? `The WAF migration to stage "${shown(String(inputs["stage"]))}" is not in what was approved, and a migration starts only as approved: ${where}.`
        : `To ${act} ${name} is not as it was approved: ${where}.`,
      zoneId,
    );
  }

  /** Steps that may allow this, each with the name of that use. A deletion does not know its URN, and is found by its id. */
  #candidates({ act, id, urn, kind, zoneId }: ChangeCall): (readonly [use: string, ApprovedStep])[] {
    return this.#content.steps
      .map((step, index) => [`${act} ${index}`, step] as const)
      .filter(([use, { op, type, ...step }]) => {
        if (this.#used.has(use) || !opsOf[act].includes(op) || kindOf(type) !== kind) return false;
        if (act === "delete") return step.id === id;
        // Without a URN, which a transform may drop, the inputs have to be those of a step for the same zone.
        return urn === "" ? isSameZone(step.after?.["zoneId"], zoneId) : step.urn === urn;
      });
  }

  /** Once a zone and process: from then on what differs is of our own making. */
  async #compareZone(zone: string, { connection, urn }: ChangeCall): Promise<void> {
    const approved = this.#content.zones.find(({ zoneId }) => zoneId === zone);
    if (!approved) {
      const isUnknownThen = this.#content.unknownZones.includes(urn);
      if (isUnknownThen && this.#content.allowsUnknownZones) {
        const message = `zone ${zone} was not known at approval, so its contents were not compared.`;
        return tell(this.run, warningOn("", "approval-zone-unknown", message), { urn, zoneId: zone });
      }
      throw this.#refusal(
        isUnknownThen
          ? "This zone was not known when the rest was approved, so its contents were not reviewed."
          : "The approval does not include this zone.",
        zone,
      );
    }
    const live = await readZoneContents(this.run.client(connection), zone, {
      needed: new Set(approved.parts),
    });
    const moved = await movedIn(approved, live, this.#key);
    if (moved.length === 0) return;
    throw this.#refusal(`The zone is not as it was approved: ${listed(moved.map(movedText))}.`, zone);
  }

  #refusal(what: string, zoneId: string, fix?: string): NotApprovedError {
    const done = this.#done.length === 0 ? undefined : listed(this.#done, { most: 30 });
    return new NotApprovedError({ what, done, fix }, isUnknown(zoneId) ? undefined : zoneId);
  }
}
